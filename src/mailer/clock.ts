/**
 * The source of the current time. Tests pass their own.
 * @example
 * ```ts
 * const clock: Clock = { now: () => Date.parse('2026-01-01T00:00:00Z') }
 * const mailer = createMailer({ clock })
 * ```
 */
export interface Clock {
  /** Returns the milliseconds since the Unix epoch. */
  now(): number
}

/** The clock of this machine. */
export const systemClock: Clock = { now: () => Date.now() }
