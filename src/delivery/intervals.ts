/** How often the processes that send look around, in milliseconds. Tests choose shorter intervals. */
export interface DeliveryIntervals {
  /** How often a worker that is busy looks for broadcasts. */
  lookMs: number
  /** How long a worker that found nothing waits before it looks again. */
  idleMs: number
  /** How long an email, its templates and the routes of its contacts are used before they are read again. */
  freshMs: number
  /** How often a process records that it is alive. */
  heartbeatMs: number
  /** A process that was not seen for this long has expired. */
  expireAfterMs: number
}

export const defaultIntervals: DeliveryIntervals = {
  lookMs: 250,
  idleMs: 1_000,
  freshMs: 500,
  heartbeatMs: 2_000,
  expireAfterMs: 15_000,
}
