import { backOffMs } from '../kit/back-off.ts'
import type { Fault } from '../mailer/index.ts'

const schedule = { firstMs: 30_000, longestMs: 3_600_000 }

/**
 * Returns when a message that was refused for now is tried again: after 30 s, doubled with each attempt up to 1 h, with
 * 20 % of jitter, and never before the time that the server asks for.
 */
export function retryAt(refused: {
  /** The time of the refusal, in milliseconds since the epoch. */
  now: number
  /** The attempts before this one. */
  attempts: number
  /** What the server asked for, or null. */
  retryAfterMs: number | null
  /** From 0 to 1, exclusive: it spreads the retries. */
  random: number
}): number {
  const { now, attempts, retryAfterMs, random } = refused
  return Math.ceil(now + Math.max(backOffMs(schedule, attempts, random), retryAfterMs ?? 0))
}

/**
 * Returns when a message is due that no server was asked about, because its mailbox has too many waiting messages: after the time
 * that the mailer asks for, with up to 20 % of jitter. Undefined after any other fault. It counts as not tried: with the back-off
 * of `retryAt`, many messages of one mailbox would be sent far more slowly than its limit allows.
 */
export function untriedUntil(
  fault: Fault | null | undefined,
  { now, random }: { now: number; random: number },
): number | undefined {
  if (fault?.code !== 'throttled' || fault.scope !== 'message') return undefined
  const { reply, retryAfterMs } = fault
  if (reply !== null || retryAfterMs === null) return undefined
  return Math.ceil(now + retryAfterMs * (1 + random * 0.2))
}
