import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words/common.ts'
import { ApiFault, jsonRequest, request } from './api.ts'

/** Runs a test and keeps what is known of it. Another run, and leaving the page, cancel it. */
export function useStages<Stage, Result extends { stages: readonly Stage[] }>(
  keyOf: (stage: Stage) => string,
  cancelled?: string,
) {
  const [stages, setStages] = useState<readonly Stage[]>([])
  const [result, setResult] = useState<Result>()
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const running = useRef<AbortController | undefined>(undefined)
  const cancel = () => running.current?.abort()
  const show = (next: Result | undefined) => {
    setResult(next)
    setStages(next?.stages ?? [])
  }
  const onStage = (next: Stage) =>
    setStages((before) => {
      const place = before.findIndex((stage) => keyOf(stage) === keyOf(next))
      return place === -1 ? [...before, next] : before.with(place, next)
    })
  useEffect(() => cancel, [])
  return {
    /** The stages that have begun, each as it is known last. */
    stages,
    /** Undefined while it runs. */
    result,
    /** Why there is no result; of a test that was cancelled, `cancelled`. */
    fault,
    isBusy,
    cancel,
    /** Shows a result that came from elsewhere. */
    show,
    start: async (url: string, body?: () => Promise<unknown>) => {
      cancel()
      const controller = new AbortController()
      const { signal } = controller
      running.current = controller
      setBusy(true)
      setFault(undefined)
      show(undefined)
      try {
        show(await runStages<Stage, Result>(url, await body?.(), { onStage, signal }))
      } catch (error) {
        setFault(signal.aborted ? cancelled : (error as Error).message)
      }
      setBusy(false)
    },
  }
}

type Line<Stage, Result> =
  | ({ type: 'stage' } & Stage)
  | { type: 'result'; result: Result }
  | { type: 'error'; error: string }

/** Makes a test that answers stage by stage. `onStage` is called when a stage begins and when it has ended. Cancelled by `signal`. */
async function runStages<Stage, Result>(
  url: string,
  body: unknown,
  { onStage, signal }: { onStage: (stage: Stage) => void; signal: AbortSignal },
): Promise<Result> {
  const init = jsonRequest('POST', body, { accept: 'application/x-ndjson' })
  const response = await request(url, { ...init, signal, isRead: false })
  for await (const line of readLines<Line<Stage, Result>>(response)) {
    if (line.type === 'stage') onStage(line)
    else if (line.type === 'result') return line.result
    else throw new ApiFault(500, line.error)
  }
  throw new ApiFault(0, words.noAnswer)
}

/** Reads a stream of one JSON object in each line, as soon as each line has arrived. */
async function* readLines<Line>(response: Response): AsyncGenerator<Line> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    const lines = (rest + (value ?? '')).split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Line
    if (done) return
  }
}
