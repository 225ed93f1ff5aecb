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
