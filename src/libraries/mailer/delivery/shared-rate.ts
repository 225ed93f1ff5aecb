import { withPermits } from './permit-line.ts'
import type { SendOptions, Transport } from './transport.ts'

/**
 * The permit to send one message within a shared rate limit.
 * @example
 * ```ts
 * const free: RatePermit = { confirm: () => undefined, begin: () => true, release: () => undefined }
 * ```
 */
export interface RatePermit {
  /** Called before the message is sent, each time that it is. The message is not sent if it rejects. */
  confirm(): Promise<void> | undefined
  /** Called synchronously before the bytes that complete the message, which are not sent if it returns false. */
  begin(): boolean
  /** Called with the server's answer, or if the message is not sent. */
  release(): void
}

/**
 * A rate limit that several processes share.
 * @example
 * ```ts
 * const unlimited: SendRate = {
 *   acquire: async () => ({ confirm: () => undefined, begin: () => true, release: () => undefined }),
 * }
 * ```
 */
export interface SendRate {
  /** Waits until a message may be sent. Rejects when the signal aborts. */
  acquire(signal: AbortSignal): Promise<RatePermit>
}

/**
 * Opens the rate limit of a DSN with `max_per_second`. The rate limits of a list of transports are numbered from 1.
 * @example
 * ```ts
 * const names: string[] = []
 * const openRate: OpenRate = (maxPerSecond, number) => {
 *   names.push(`${number}: ${maxPerSecond} a second`)
 *   const permit = { confirm: () => undefined, begin: () => true, release: () => undefined }
 *   return { acquire: async () => permit }
 * }
 * ```
 */
export type OpenRate = (maxPerSecond: number, number: number) => SendRate

/** Limits the messages of a transport by a shared rate. */
export function withSharedRate(transport: Transport, rate: SendRate): Transport {
  return withPermits(transport, rate, permitted)
}

/** Adds the checks of a permit to those of the caller. */
function permitted(permit: RatePermit, options: SendOptions): SendOptions {
  const { beforeMessage, isLeaseValid } = options
  return {
    ...options,
    beforeMessage() {
      const confirmed = permit.confirm()
      return confirmed === undefined ? beforeMessage?.() : confirmed.then(() => beforeMessage?.())
    },
    isLeaseValid: () => isLeaseValid?.() !== false && permit.begin(),
  }
}
