import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../lib/api.ts'
import { type Loaded, useData } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import type { Broadcast } from './parts.tsx'

const pollMs = 2_000
const reopenMs = 15_000

type Source = 'events' | 'polling'

/** A broadcast as it is now. */
export interface LiveBroadcast extends Loaded<Broadcast> {
  /** Shows what an action answered. */
  show: (broadcast: Broadcast) => void
  /** How changes arrive; undefined where there are none any more. */
  source: Source | undefined
}

/** Loads a broadcast, and follows it by server-sent events until it ends; while they fail, by asking again and again. */
export function useBroadcast(id: number): LiveBroadcast {
  const load = async (signal: AbortSignal, isBackground: boolean) => {
    const options = { path: { id }, signal, isBackground }
    return (await ask('GET', '/api/broadcasts/{id}', options)).body.broadcast
  }
  const loaded = useData((signal) => load(signal, false), [id])
  const [latest, show] = useState<Broadcast>()
  const [source, setSource] = useState<Source>('events')
  useEffect(() => show(undefined), [loaded.data])
  const data = latest ?? loaded.data
  const isEnded = data === undefined || data.state === 'done' || data.state === 'cancelled'
  useEffect(() => (isEnded ? undefined : follow(id, show, setSource)), [id, isEnded])
  const isPolled = !isEnded && source === 'polling'
  useRepeat(async (signal) => show(await load(signal, true)), isPolled ? pollMs : undefined)
  return { ...loaded, data, show, source: isEnded ? undefined : source }
}

/** The browser repeats a connection that breaks, but not one that was answered with an error. */
function follow(
  id: number,
  show: (broadcast: Broadcast) => void,
  setSource: (source: Source) => void,
): () => void {
  let events: EventSource
  let timer: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    events = new EventSource(`/api/broadcasts/${id}/events`)
    events.addEventListener('open', () => setSource('events'))
    events.addEventListener('progress', ({ data }: MessageEvent<string>) =>
      show(JSON.parse(data) as Broadcast),
    )
    events.addEventListener('error', () => {
      setSource('polling')
      if (events.readyState === EventSource.CLOSED) timer = setTimeout(open, reopenMs)
    })
  }
  open()
  return () => {
    clearTimeout(timer)
    events.close()
  }
}
