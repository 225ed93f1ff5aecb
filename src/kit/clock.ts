/**
 * The current time. It is passed as an argument, so that tests can move it.
 * @example
 * ```ts
 * const clock: Clock = { now: () => 1_000, monotonic: () => performance.now() }
 * const mailer = createMailer({ clock })
 * ```
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. It may be set back. */
  now(): number
  /** Milliseconds since some moment. It only goes forward: for ages and deadlines. */
  monotonic(): number
}

/** How far the clocks of two processes may differ. */
const skewMs = 60_000

/** Whether a time is in the future, so that the clock was set back since it was noted. */
export function isInFuture(time: number, now: number): boolean {
  return time > now + skewMs
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** Measures work in the time of the machine. Returns a function that returns the milliseconds since its start. */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  return () => performance.now() - startedAt
}
