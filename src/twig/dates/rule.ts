import type { Reading } from './reading.ts'

/** A form that a part of a date text may have. */
export interface Rule {
  /** A regular expression without regard to case, for the whole part. */
  readonly pattern: string
  /** Notes what it says; `parts` are the groups. */
  apply(reading: Reading, parts: readonly (string | undefined)[]): void
  /** Where it may not fit after all, for what was read before. */
  fits?(reading: Reading): boolean
}
