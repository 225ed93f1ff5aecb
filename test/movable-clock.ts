import { type Clock, systemClock } from '../src/kit/clock.ts'

/** A running clock that a test can move. */
export interface MovableClock extends Clock {
  /** Lets time pass. A negative number sets the wall clock back, while `monotonic` goes on. */
  advance(ms: number): void
}

export function createMovableClock(): MovableClock {
  let aheadMs = 0
  let passedMs = 0
  return {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + passedMs,
    advance(ms) {
      aheadMs += ms
      passedMs += Math.max(0, ms)
    },
  }
}

/** A clock that shows the times of a test, and otherwise runs as that of the machine. */
export function clockAt(now: () => number, monotonic = systemClock.monotonic): Clock {
  return { now, monotonic }
}
