import type { Reading } from './reading.ts'

/** A form that a part of a date text may have. */
export interface Rule {
  /** A regular expression without regard to case, for the whole part. */
  readonly pattern: string
  /** Notes what it says; `parts` are the groups. */
  apply(reading: Reading, parts: readonly (string | undefined)[]): void
  /** What it tells that may be told but once. */
  readonly tells?: 'date' | 'time'
}
