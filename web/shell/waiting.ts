import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import type { Tone } from '../lib/toasts.ts'
import { useRepeat } from '../lib/use-repeat.ts'
import { words } from '../words/common.ts'

/** What waits at a screen: a number in the menu. */
export interface Waiting {
  count: number
  tone: Tone
  /** The number in words. */
  label: string
}

const intervalMs = 30_000

/** By the name of the screen; only where something waits. */
const waiting = signal<Partial<Record<string, Waiting>>>({})
/** Whether all contacts are in a connected Mautic. */
const hasOnlyMautics = signal(false)

/** Returns what waits at each screen; it is read again every half minute. */
export function useWaiting(): Partial<Record<string, Waiting>> {
  const read = async () => {
    const [queue, deliveries, health] = await Promise.all([
      can('queue:view') ? readQueue() : undefined,
      can('email:view') ? readUncertain() : undefined,
      can('*') ? readFindings() : undefined,
    ])
    waiting.value = { queue, deliveries, health }
  }
  useEffect(() => void read().catch(() => undefined), [])
  useRepeat(read, intervalMs)
  return waiting.value
}

/** Whether a Mautic is connected and Mailyard has no contacts: then their screens are folded away. */
export function useHasOnlyMautics(): boolean {
  useEffect(() => {
    const read = async () => {
      if (!can('api:view') || !can('contact:view')) return
      const query = { limit: 1, fields: 'id' }
      const [mautics, contacts] = await Promise.all([
        ask('GET', '/api/mautics', { query, isBackground: true }),
        ask('GET', '/api/contacts', { query, isBackground: true }),
      ])
      hasOnlyMautics.value = mautics.body.total > 0 && Number(contacts.body.total) === 0
    }
    void read().catch(() => undefined)
  }, [])
  return hasOnlyMautics.value
}

async function readQueue(): Promise<Waiting | undefined> {
  const { total } = (await ask('GET', '/api/queue', { isBackground: true })).body
  const count = Object.values(total).reduce((sum, each) => sum + each, 0)
  return count === 0 ? undefined : { count, tone: 'neutral', label: words.counts.queue(count) }
}

async function readUncertain(): Promise<Waiting | undefined> {
  const query = { outcome: 'uncertain', limit: 1, total: 1 }
  const { body } = await ask('GET', '/api/deliveries', { query, isBackground: true })
  const count = body.total ?? 0
  return count === 0 ? undefined : { count, tone: 'warn', label: words.counts.uncertain(count) }
}

async function readFindings(): Promise<Waiting | undefined> {
  const { findings } = (await ask('GET', '/api/health/findings', { isBackground: true })).body
  const open = findings.filter(({ severity }) => severity !== 'ok')
  if (open.length === 0) return undefined
  const tone = open.some(({ severity }) => severity === 'problem') ? 'bad' : 'warn'
  return { count: open.length, tone, label: words.counts.findings(open.length) }
}
