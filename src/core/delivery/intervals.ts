/** How often the processes that send look around, in milliseconds. Tests choose shorter intervals. */
export interface DeliveryIntervals {
  /** How long a worker that found nothing waits before it looks again. */
  idleMs: number
  /** How often a process records that it is alive. */
  heartbeatMs: number
  /** A process that was not seen for this long has expired. */
  expireAfterMs: number
}

export const defaultIntervals: DeliveryIntervals = {
  idleMs: 1_000,
  heartbeatMs: 2_000,
  expireAfterMs: 15_000,
}
