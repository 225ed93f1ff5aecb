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

/** A clock that shows one time of a test for both. */
export function clockAt(time: number | (() => number)): Clock {
  const read = typeof time === 'number' ? () => time : time
  return { now: read, monotonic: read }
}
