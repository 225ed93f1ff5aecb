import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { mauticNameWords as text } from '../words/mautic-names.ts'

/** A connected Mautic, for choices and names. */
export interface MauticChoice {
  id: number
  name: string
}

/** As they were read last: they are shown at once while they are read again. */
const lastMautics = signal<readonly MauticChoice[]>([])

/** Returns the connected Mautics, in the order of their names; none to those who may not view them. */
export function useMautics(): readonly MauticChoice[] {
  const mayView = can('api:view')
  useEffect(() => {
    const controller = new AbortController()
    if (mayView) void readMautics(controller.signal)
    return () => controller.abort()
  }, [mayView])
  return mayView ? lastMautics.value : []
}

/** Returns the function that names a Mautic by its id. */
export function useMauticName(): (id: number) => string {
  const mautics = useMautics()
  return (id) => mautics.find((mautic) => mautic.id === id)?.name ?? text.number(id)
}

async function readMautics(signal: AbortSignal): Promise<void> {
  const query = { limit: 0, fields: 'id,name', orderBy: 'name' }
  try {
    const answer = await ask('GET', '/api/mautics', { query, signal, isBackground: true })
    lastMautics.value = answer.body.mautics
  } catch {
    // Those that were read before stay.
  }
}
