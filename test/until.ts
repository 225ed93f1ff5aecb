import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'

/** Longer than a browser or a server takes on a busy machine. */
const waitMaxMs = 20_000

/**
 * Waits for another program: until `isReached` of what `read` returns; by default, until it returns something true. It reads every 10
 * ms, or more rarely where that takes longer. After 20 seconds it fails with `what`, and with what was read last. What Mailyard itself
 * does is waited for with `app.idle()`.
 */
export async function until<State>(
  read: () => State | Promise<State>,
  what: string,
  isReached: (state: State) => boolean = Boolean,
): Promise<void> {
  const deadline = performance.now() + waitMaxMs
  for (;;) {
    const askedAt = performance.now()
    const state = await read()
    if (isReached(state)) return
    const now = performance.now()
    assert.ok(now < deadline, `Not reached: ${what}. Seen last: ${inspect(state)}`)
    await setTimeout(Math.max(10, now - askedAt))
  }
}
