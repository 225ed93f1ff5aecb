import type { AppError } from './app-error.ts'

/** What became of one item of many: its value, or the error that stopped this item alone. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: AppError }

/** An item that went well. */
export const done = <T>(value: T): Outcome<T> => ({ ok: true, value })

/** An item that failed; the others go on. */
export const failed = (error: AppError): Outcome<never> => ({ ok: false, error })

/** The value of an outcome; throws its error. */
export function unwrap<T>(outcome: Outcome<T> | undefined): T {
  if (outcome === undefined) throw new Error('An item was answered by nothing.')
  if (!outcome.ok) throw outcome.error
  return outcome.value
}
