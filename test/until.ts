import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'

/** Longer than any condition takes on a busy machine: only one that is never reached fails. */
const waitMaxMs = 180_000

/** Waits until a condition holds; it is checked every 10 ms, or more rarely where a check takes longer. `what` is the message if it never does. */
export async function until(
  isReached: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const deadline = performance.now() + waitMaxMs
  for (;;) {
    const askedAt = performance.now()
    if (await isReached()) return
    const now = performance.now()
    assert.ok(now < deadline, `Not reached: ${what}.`)
    await setTimeout(Math.max(10, now - askedAt))
  }
}
