/** How long a message is tried, from the first time on. */
const giveUpAfterMs = 72 * 3_600_000
const firstWaitMs = 30_000
const longestWaitMs = 3_600_000

/**
 * When to try again after so many attempts: backoff that doubles up to an hour, with jitter, and not
 * before the server said. Undefined where it has been tried long enough.
 */
export function nextAttemptAt(history: {
  attempts: number
  /** When it was first tried. */
  since: number
  now: number
  /** What the server said, or null. */
  retryAfterMs: number | null
  /** From 0 up to but without 1: so that not all come back at once. */
  random: number
}): number | undefined {
  const { attempts, since, now, retryAfterMs, random } = history
  const backoffMs = Math.min(firstWaitMs * 2 ** Math.min(attempts, 20), longestWaitMs)
  const jitteredMs = backoffMs * (0.5 + random)
  const at = now + Math.max(jitteredMs, retryAfterMs ?? 0)
  return at - since > giveUpAfterMs ? undefined : Math.round(at)
}
