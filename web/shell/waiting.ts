import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask } from '../lib/api.ts'
import { ofBrand, shownBrand } from '../lib/brand.ts'
import { can } from '../lib/session.ts'
import type { Tone } from '../lib/toasts.ts'
import { useRepeat } from '../lib/use-repeat.ts'
import { openFindings, readFindings } from '../records/findings.ts'
import { countUncertain } from '../records/use-deliveries.ts'
import { words } from '../words/common.ts'

/** What waits at a screen: a number in the menu. */
export interface Waiting {
  count: number
  tone: Tone
  /** The number in words. */
  label: string
}

const intervalMs = 30_000
/** The content of the page is asked for first. */
const firstMs = 1_000

/** By the name of the screen; only where something waits. */
const waiting = signal<Partial<Record<string, Waiting>>>({})

/** Returns what waits at each screen; it is read again every half minute. */
export function useWaiting(): Partial<Record<string, Waiting>> {
  const read = async () => {
    const [queue, deliveries] = await Promise.all([
      can('queue:view') ? readQueue() : undefined,
      can('email:view') ? readUncertain() : undefined,
      can('*') ? readFindings() : undefined,
    ])
    waiting.value = { queue, deliveries }
  }
  useEffect(() => {
    // The next repetition shows whether a fault lasts.
    const timer = setTimeout(() => void read().catch(() => undefined), firstMs)
    return () => clearTimeout(timer)
  }, [shownBrand.value])
  useRepeat(read, intervalMs)
  return { ...waiting.value, health: findingsWaiting() }
}

async function readQueue(): Promise<Waiting | undefined> {
  const { total } = (await ask('GET', '/api/queue', { query: ofBrand(), isBackground: true })).body
  const count = Object.values(total).reduce((sum, each) => sum + each, 0)
  return count === 0 ? undefined : { count, tone: 'neutral', label: words.counts.queue(count) }
}

async function readUncertain(): Promise<Waiting | undefined> {
  const count = await countUncertain()
  return count === 0 ? undefined : { count, tone: 'warn', label: words.counts.uncertain(count) }
}

function findingsWaiting(): Waiting | undefined {
  const open = openFindings.value ?? []
  if (open.length === 0) return undefined
  const tone = open.some(({ severity }) => severity === 'problem') ? 'bad' : 'warn'
  return { count: open.length, tone, label: words.counts.findings(open.length) }
}
