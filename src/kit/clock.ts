/** The current time. It is passed as an argument, so that tests can set it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** How far the clocks of two processes may differ. */
const skewMs = 60_000

/** Whether a time is in the future, so that the clock was set back since it was noted. */
export function isInFuture(time: number, now: number): boolean {
  return time > now + skewMs
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() }
