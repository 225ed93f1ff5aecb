import { faultResult } from './create-result.ts'
import { FaultError } from './fault-error.ts'
import { cancelledFault } from './send-limiter.ts'
import type { Transport } from './transport.ts'

/**
 * The permit to keep one connection open.
 * @example
 * ```ts
 * const free: ConnectionPermit = {
 *   isLimited: false,
 *   isValid: () => true,
 *   countWaiting: () => 0,
 *   isOverShare: () => false,
 *   release: () => undefined,
 * }
 * ```
 */
export interface ConnectionPermit {
  /** Whether a limit counts the connection. */
  readonly isLimited: boolean
  /** Whether another message may be sent over the connection. If not, it is closed. */
  isValid(): boolean
  /** How many messages of this process wait for a connection, over all transports that share it: an idle one is closed. */
  countWaiting(): number
  /** Whether another process waits, and this one has more than its share: the connection is closed after some time. */
  isOverShare(): boolean
  /** Called once the connection is closed. */
  release(): void
}

/**
 * A limit of connections that several transports and processes share. For the API of a provider, a request counts as a
 * connection.
 * @example
 * ```ts
 * const isLimited = false
 * const permit = { isLimited, isValid: () => true, countWaiting: () => 0, isOverShare: () => false, release() {} }
 * const unlimited: SharedConnections = { acquire: async () => permit }
 * ```
 */
export interface SharedConnections {
  /** Waits until a connection may be opened. Rejects when the signal aborts. */
  acquire(signal: AbortSignal): Promise<ConnectionPermit>
}

/** Limits the requests of a transport that are open at a time. */
export function withSharedConnections(
  transport: Transport,
  connections: SharedConnections,
): Transport {
  const closing = new AbortController()
  let waiting = 0
  const acquire = async (signal: AbortSignal | undefined) => {
    const { signal: closed } = closing
    waiting += 1
    try {
      return await connections.acquire(
        signal === undefined ? closed : AbortSignal.any([closed, signal]),
      )
    } catch (cause) {
      throw new FaultError(cancelledFault().fault, { cause })
    } finally {
      waiting -= 1
    }
  }
  const { label } = transport
  return {
    label,
    async send(message, options = {}) {
      const startedAt = performance.now()
      try {
        const permit = await acquire(options.signal)
        return await transport.send(message, options).finally(() => permit.release())
      } catch (error) {
        if (!(error instanceof FaultError)) throw error
        const durationMs = performance.now() - startedAt
        return faultResult(error, { member: label, message, durationMs })
      }
    },
    load() {
      const load = transport.load()
      return { ...load, waiting: load.waiting + waiting }
    },
    async close() {
      closing.abort()
      await transport.close()
    },
  }
}
