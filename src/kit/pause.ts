import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { startStopwatch } from './clock.ts'

/** Lets the event loop serve waiting requests during long work. */
export async function pause(): Promise<void> {
  await setImmediate()
}

/** Pauses a stream until the event loop has turned. Node reads up to 2 MB of each connection that sends fast in one turn. */
export function pauseForTurn(stream: Readable): void {
  stream.pause()
  void pause().then(() => stream.resume())
}

/** What takes a few milliseconds for each step over it. */
export const largeBytes = 1_048_576

/** How long work may block the event loop, in milliseconds. */
const blockMs = 10

/** Returns a function for loops over many items: it pauses when ten milliseconds have passed since its last pause. */
export function createPacer(): () => Promise<void> | undefined {
  let elapsedMs = startStopwatch()
  return () => {
    if (elapsedMs() < blockMs) return undefined
    return pause().then(() => {
      elapsedMs = startStopwatch()
    })
  }
}
