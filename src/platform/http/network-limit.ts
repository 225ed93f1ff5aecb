import { createRequire } from 'node:module'
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '../../kit/network-of.ts'

const require = createRequire(import.meta.url)

/**
 * Creates a limit for each network, in this process. Default: 60 in ten minutes. Mail providers send many valid requests from
 * few addresses, so only what is taken counts.
 */
export function createNetworkLimit({ points = 60, seconds = 600 } = {}) {
  let limiter: RateLimiterMemory | undefined
  const open = () => {
    // The index of the package loads the limiters of all databases.
    const Memory =
      require('rate-limiter-flexible/lib/RateLimiterMemory.js') as typeof RateLimiterMemory
    limiter ??= new Memory({ points, duration: seconds })
    return limiter
  }
  return {
    /** Returns for how many seconds the network has to wait; 0 if it has something left. */
    take: (address: string): Promise<number> =>
      open()
        .consume(networkOf(address))
        .then(
          () => 0,
          (refused: RateLimiterRes) => Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)),
        ),
  }
}
