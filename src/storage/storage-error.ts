import { AppError } from '../kit/app-error.ts'

/** A row that the database refused because another row stands against it. */
export class ConstraintError extends Error {
  override readonly name = 'ConstraintError'
  readonly kind: 'unique' | 'foreign_key'
  /** Names of the columns, where the database tells them. */
  readonly columns: readonly string[]

  constructor(kind: 'unique' | 'foreign_key', columns: readonly string[], cause: unknown) {
    super(`A ${kind} constraint was violated.`, { cause })
    this.kind = kind
    this.columns = columns
  }
}

/** Whether an error says that another row has the same value in this column. */
export function isUniqueViolation(error: unknown, column: string): boolean {
  return (
    error instanceof ConstraintError && error.kind === 'unique' && error.columns.includes(column)
  )
}

/** The database cannot be reached or cannot write; trying again later may help. */
export function databaseUnavailable(reason: string, cause: unknown): AppError {
  const message = `The database is unavailable (${reason}). Nothing was saved; try again in a moment.`
  return new AppError('upstream', 'database_unavailable', message, { cause, retryAfterSeconds: 5 })
}

/** The database was lost before it answered to a change: it may have made it. */
export function answerLost(cause: unknown): AppError {
  const message =
    'The database was lost while it saved the change, which may or may not be kept: look before you try again.'
  return new AppError('upstream', 'database_answer_lost', message, { cause, retryAfterSeconds: 5 })
}

/** The disk failed after a commit: what it will have kept, nobody knows. */
export function diskFailed(cause: unknown): AppError {
  const message =
    "The database's disk reports an error. The change may or may not be kept: see to the disk, and look before you try again."
  return new AppError('upstream', 'disk_failed', message, { cause, retryAfterSeconds: 5 })
}

/** SQLSTATE classes: data exceptions, constraints, and limits such as the size of an index's row. */
const unstorableStates = /^(22|23|54)[0-9A-Z]{3}$/
/** Primary result codes of SQLite: too big, a constraint, another type. */
const unstorableCodes: readonly unknown[] = [18, 19, 20]

/** Whether the database is there and does not take these very values, however often it is asked. */
export function isUnstorable(error: unknown): boolean {
  if (error instanceof ConstraintError) return true
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown }
  const isStated = typeof code === 'string' && unstorableStates.test(code)
  return isStated || (typeof errcode === 'number' && unstorableCodes.includes(errcode & 0xff))
}

/** The message for a terminal: it names the file or the host, and no password. */
export interface FailureAdvice {
  /** The database, as the start of a sentence. */
  what: string
  problem: string
  advice: string
}
