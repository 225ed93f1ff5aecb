import { createRequire } from 'node:module'
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { tooManyFailures } from '../errors.ts'

/** Slows down who guesses passwords; who knows his is not held up by the failures of others. */
export interface LoginLimits {
  /** Throws an AppError (`rate_limited`) where this address, or it with this name, failed too often. */
  check(address: string, name: string): Promise<void>
  fail(address: string, name: string): Promise<void>
  succeed(address: string, name: string): Promise<void>
}

const require = createRequire(import.meta.url)

const perName = { points: 10, duration: 60, blockDuration: 60 }
const perAddress = { points: 100, duration: 600, blockDuration: 300 }

export function createLoginLimits(): LoginLimits {
  // The package's own index loads the limiter of every database.
  const path = 'rate-limiter-flexible/lib/RateLimiterMemory.js'
  const Limiter = require(path) as typeof RateLimiterMemory
  const names = new Limiter({ keyPrefix: 'name', ...perName })
  const addresses = new Limiter({ keyPrefix: 'address', ...perAddress })
  const nameKey = (address: string, name: string) => `${address} ${name.slice(0, 255)}`
  return {
    async check(address, name) {
      const byName = await names.get(nameKey(address, name))
      const byAddress = await addresses.get(address)
      const waitMs = Math.max(waitOf(byName, perName.points), waitOf(byAddress, perAddress.points))
      if (waitMs > 0) throw tooManyFailures(Math.ceil(waitMs / 1_000))
    },
    async fail(address, name) {
      // Both reject when the points are used up, which `check` tells the next time.
      await names.consume(nameKey(address, name)).catch(() => undefined)
      await addresses.consume(address).catch(() => undefined)
    },
    async succeed(address, name) {
      await names.delete(nameKey(address, name))
    },
  }
}

function waitOf(used: RateLimiterRes | null, points: number): number {
  return used !== null && used.consumedPoints >= points ? used.msBeforeNext : 0
}
