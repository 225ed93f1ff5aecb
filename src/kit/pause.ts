import { setImmediate } from 'node:timers/promises'

/** Lets waiting requests have their turn in the midst of long work. */
export async function pause(): Promise<void> {
  await setImmediate()
}
