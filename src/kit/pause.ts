import { setImmediate } from 'node:timers/promises'

/** Lets waiting requests have their turn in the midst of long work. */
export async function pause(): Promise<void> {
  await setImmediate()
}

/** How long others may have to wait, in milliseconds. */
const turnMs = 10

/** Returns a function that pauses whenever the work since its last pause took ten milliseconds: for loops over many items. */
export function createPacer(): () => Promise<void> | undefined {
  let pausedAt = performance.now()
  return () => {
    if (performance.now() - pausedAt < turnMs) return undefined
    return pause().then(() => {
      pausedAt = performance.now()
    })
  }
}
