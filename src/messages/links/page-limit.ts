import { createRequire } from 'node:module'
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { networkOf } from '../../kit/network-of.ts'

const require = createRequire(import.meta.url)

/**
 * Creates a limit for each network, in this process. Default: 60 in ten minutes. Mail providers send many valid requests from
 * few addresses, so only what is counted counts.
 */
export function createPageLimit({ points = 60, seconds = 600 } = {}) {
  let limiter: RateLimiterMemory | undefined
  const open = () => {
    // The index of the package loads the limiters of all databases.
    const Memory =
      require('rate-limiter-flexible/lib/RateLimiterMemory.js') as typeof RateLimiterMemory
    limiter ??= new Memory({ points, duration: seconds })
    return limiter
  }
  return {
    async isReached(address: string) {
      const used = await open().get(networkOf(address))
      return used !== null && used.consumedPoints >= points
    },
    async count(address: string) {
      // It rejects when the points are used up, which `isReached` finds at the next request.
      await Promise.allSettled([open().consume(networkOf(address))])
    },
  }
}
