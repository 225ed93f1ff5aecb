import type { ConnectionPermit, SharedConnections } from '../mailer/index.ts'
import type { Taken } from './lease/taken-tokens.ts'
import type { TokenLease } from './lease/token-lease.ts'
import type { TokenLimit } from './rules.ts'

/** How long a message waits for a connection at most: the caller cancels it sooner. */
const waitMs = 86_400_000

export interface ConnectionLimitsOptions {
  /** Reads the limits, unless they were read just now. */
  load: () => Promise<void>
  /** The limits of the transport's connections, in the same order in every process. */
  limits: () => readonly TokenLimit[]
  leaseOf: (limit: TokenLimit) => TokenLease
}

/** Lets the mailer take a token of each limit for each connection, for as long as it is open. */
export function openConnectionLimits(options: ConnectionLimitsOptions): SharedConnections {
  const { load, limits, leaseOf } = options
  return {
    async acquire(signal) {
      await load()
      const parts = new Map<string, ConnectionPart>()
      for (const limit of limits()) {
        const lease = leaseOf(limit)
        const taken = await lease.take(1, { waitMs, signal })
        if ('freeAt' in taken) {
          for (const part of parts.values()) part.taken.release()
          throw new Error('The message was cancelled while it waited for a connection.')
        }
        taken.markSent()
        parts.set(limit.key, { lease, taken })
      }
      return createPermit(parts, limits)
    },
  }
}

interface ConnectionPart {
  lease: TokenLease
  taken: Taken
}

function createPermit(
  parts: ReadonlyMap<string, ConnectionPart>,
  limits: () => readonly TokenLimit[],
): ConnectionPermit {
  const all = [...parts.values()]
  return {
    isLimited: all.length > 0,
    // A limit may have been created since, or given to the transport.
    isValid: () =>
      all.every(({ taken }) => taken.isValid()) && limits().every(({ key }) => parts.has(key)),
    countWaiting: () => Math.max(0, ...all.map(({ lease }) => lease.countWaiting)),
    isOverShare: () => all.some(({ lease }) => lease.isOverShare),
    release() {
      for (const { taken } of all) taken.release()
    },
  }
}
