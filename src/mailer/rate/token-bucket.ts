import type { Clock } from '../clock.ts'

/** Lets so many a second through, whoever asks. */
export interface TokenBucket {
  /** Takes a token: 0 if there was one, else the milliseconds until there will be one (none is taken). */
  take(): number
}

/** What may be caught up with after a pause, in seconds of the rate; one token at least. */
const burstSeconds = 0.05

/** Makes a bucket that fills at `perSecond`. In no time span do more than its rate and a burst pass. */
export function createTokenBucket(perSecond: number, clock: Clock): TokenBucket {
  const capacity = Math.max(1, perSecond * burstSeconds)
  let tokens = capacity
  let filledAt = clock.now()
  return {
    take() {
      const now = clock.now()
      // A clock that is set back must not stop the mail.
      tokens = Math.min(capacity, tokens + (Math.max(0, now - filledAt) * perSecond) / 1000)
      filledAt = now
      if (tokens >= 1) {
        tokens -= 1
        return 0
      }
      return Math.max(1, Math.ceil(((1 - tokens) * 1000) / perSecond))
    },
  }
}
