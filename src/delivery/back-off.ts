const firstWaitMs = 30_000
const longestWaitMs = 3_600_000

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
  const backOffMs = Math.min(firstWaitMs * 2 ** Math.min(attempts, 20), longestWaitMs)
  return Math.ceil(now + Math.max(backOffMs * (0.8 + random * 0.4), retryAfterMs ?? 0))
}
