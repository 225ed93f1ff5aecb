/** The current time. It is passed as an argument, so that tests can set it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() }
