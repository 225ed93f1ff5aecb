import type { Clock } from '../../../kit/clock.ts'
import type { DatabaseFeatures } from '../../../platform/storage/index.ts'
import type { DeliveryIntervals } from '../intervals.ts'

/**
 * The right of this process to send. Each heartbeat that the database has confirmed renews it. When it ends, the other
 * processes may consider this one expired: its attempts become `uncertain`, and an operator may have the messages sent
 * again. So a process that was stopped between the start of an attempt and its message does not send the message.
 */
export interface Lease {
  /** Call it before a heartbeat is sent, and what it returns when the heartbeat was confirmed. */
  startRenewal(): () => void
  /** Returns a function that says whether the lease was valid without interruption since this call. */
  hold(): () => boolean
}

/** The lease of a process that no other process takes for expired. */
export const endlessLease: Lease = { startRenewal: () => () => undefined, hold: () => () => true }

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
  // Before its first heartbeat no other process knows this one.
  let renewedForMs = () => 0
  let interruptions = 0
  const isOver = () => renewedForMs() >= validMs
  return {
    startRenewal() {
      const sentForMs = startAge(clock)
      return () => {
        if (isOver()) interruptions += 1
        renewedForMs = sentForMs
      }
    },
    hold() {
      const held = interruptions
      return () => interruptions === held && !isOver()
    },
  }
}

/**
 * Returns the age of this moment, by the larger of both times: a clock that was set back must not extend the lease, and
 * neither must monotonic time, which stands still while the machine sleeps.
 */
function startAge(clock: Clock): () => number {
  const [monotonic, now] = [clock.monotonic(), clock.now()]
  return () => Math.max(clock.monotonic() - monotonic, clock.now() - now)
}
