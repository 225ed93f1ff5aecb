import type { Clock } from '../../kit/clock.ts'
import type { DatabaseFeatures } from '../../storage/index.ts'
import type { DeliveryIntervals } from '../intervals.ts'

/** A time by two clocks: one does not count while the machine sleeps, the other may be set. Both in milliseconds. */
export interface LeaseTime {
  monotonic: number
  wall: number
}

/**
 * The right of this process to send. Each heartbeat that the database has confirmed renews it. When it ends, the other
 * processes may consider this one expired: its attempts become `uncertain`, and an operator may have the messages sent
 * again. So a process that was stopped between the start of an attempt and its message does not send the message.
 */
export interface Lease {
  now(): LeaseTime
  /** Call it when a heartbeat was confirmed, with the time before it was sent. */
  renew(sentAt: LeaseTime): void
  /** Returns a function that says whether the lease was valid without interruption since this call. */
  hold(): () => boolean
}

/** The lease of a process that no other process takes for expired. */
export const endlessLease: Lease = {
  now: () => ({ monotonic: 0, wall: 0 }),
  renew: () => undefined,
  hold: () => () => true,
}

export interface LeaseOptions {
  storage: Pick<DatabaseFeatures, 'isShared'>
  intervals: Pick<DeliveryIntervals, 'expireAfterMs'>
  clock: Clock
}

/** Opens the lease of this process. A database that is not shared has only one process, so there it never ends. */
export function openLease({ storage, intervals, clock }: LeaseOptions): Lease {
  if (!storage.isShared) return endlessLease
  // The other half is for a clock of the database that is set forward: after a larger step no process expires.
  const validMs = intervals.expireAfterMs / 2
  const now = () => ({ monotonic: clock.monotonic(), wall: clock.now() })
  let renewedAt: LeaseTime | undefined
  let interruptions = 0
  // Before its first heartbeat no other process knows this one.
  const isOver = () => renewedAt !== undefined && elapsedMs(renewedAt, now()) >= validMs
  return {
    now,
    renew(sentAt) {
      if (isOver()) interruptions += 1
      renewedAt = sentAt
    },
    hold() {
      const held = interruptions
      return () => interruptions === held && !isOver()
    },
  }
}

/** The larger of both: a clock that was set back or stood still must not extend the lease. */
function elapsedMs(since: LeaseTime, now: LeaseTime): number {
  return Math.max(now.monotonic - since.monotonic, now.wall - since.wall)
}
