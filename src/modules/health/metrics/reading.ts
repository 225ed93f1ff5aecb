import { type Clock, startStopwatch } from '../../../kit/clock.ts'
import { within } from '../../../kit/within.ts'

/** A group of gauges that are read from the database. */
export interface Gauges {
  /** Reads the values, in bounded time however much is stored; returns what sets the gauges. */
  read(): Promise<() => void>
  /** Removes the gauges: their values are unknown. */
  clear(): void
}

export interface ReadingOptions {
  clock: Clock
  /** How long a scrape waits for the values; then it shows the last ones. */
  waitMs?: number
  /** Values are kept for so many times as long as it took to read them, up to a minute. Default: 0. */
  keptFactor?: number
  /** Called if the values take longer. */
  onLate?: () => void
}

/** How long values are kept: several scrapes in this time read them once. */
const keptMs = 5_000
const longestKeptMs = 60_000

/**
 * Returns a function that updates gauges: at most every five seconds, more rarely if that takes long, and never twice at
 * the same time. It waits for two seconds at most. Gauges that cannot be read are removed.
 */
export function createReading(
  groups: readonly Gauges[],
  { clock, keptFactor = 0, waitMs = 2_000, onLate }: ReadingOptions,
): () => Promise<void> {
  let freshUntil = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  const readAll = async () => {
    const tookMs = startStopwatch()
    let isComplete = true
    for (const group of groups) isComplete = (await update(group)) && isComplete
    // Values that are missing are read again soon.
    const factor = isComplete ? keptFactor : 0
    freshUntil = clock.monotonic() + Math.max(keptMs, Math.min(tookMs() * factor, longestKeptMs))
    running = undefined
  }
  return async () => {
    if (running === undefined && clock.monotonic() < freshUntil) return
    running ??= readAll()
    const read = await within(
      waitMs,
      running.then(() => true),
    )
    if (read === undefined) onLate?.()
  }
}

/** Returns whether the values could be read. */
async function update(group: Gauges): Promise<boolean> {
  try {
    const set = await group.read()
    set()
    return true
  } catch {
    group.clear()
    return false
  }
}
