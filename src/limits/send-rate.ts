import type { SendRate } from '../mailer/index.ts'
import { LimitPermit } from './lease/permit.ts'
import type { TokenLease } from './lease/token-lease.ts'
import { type LimitRules, secondMs } from './usage/usage.ts'

/** How long a message waits for the rate at most: the caller cancels it sooner. */
const waitMs = 86_400_000

/** Returns the rules for a rate. Fractions are rounded down; a rate below one has one token that rests longer. */
export function rateRules(perSecond: number): LimitRules {
  return perSecond >= 1
    ? { perSecond: Math.floor(perSecond), windows: [] }
    : { perSecond: 1, restMs: Math.ceil(secondMs / perSecond), windows: [] }
}

/** Lets the mailer take one token for each message. */
export function openRate(lease: TokenLease): SendRate {
  return {
    async acquire(signal) {
      const taken = await lease.take(1, { waitMs, signal })
      if ('freeAt' in taken) throw new Error('The message was cancelled while it waited.')
      return new LimitPermit([{ limit: { name: 'max_per_second' }, lease, taken }])
    },
  }
}
