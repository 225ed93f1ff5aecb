import type { Clock } from '../src/kit/clock.ts'

/** A running clock that a test can set. */
export interface MovableClock extends Clock {
  /** Sets it forward, or back by a negative number. */
  advance(ms: number): void
}

export function createMovableClock(): MovableClock {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    advance(ms) {
      aheadMs += ms
    },
  }
}
