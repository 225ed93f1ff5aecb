import { AppError } from '../../kit/app-error.ts'

/** The database refused a row because of another row. */
export class ConstraintError extends Error {
  override readonly name = 'ConstraintError'
  readonly kind: 'unique' | 'foreign_key'
  /** Names of the columns, where the database reports them. */
  readonly columns: readonly string[]

  constructor(kind: 'unique' | 'foreign_key', columns: readonly string[], cause: unknown) {
    super(`A ${kind} constraint was violated.`, { cause })
    this.kind = kind
    this.columns = columns
  }
}

/** The database cannot be reached or cannot write; trying again later may help. */
export function databaseUnavailable(reason: string, cause: unknown): AppError {
  const message = `The database is unavailable (${reason}). Nothing was saved; try again in a moment.`
  return new AppError('upstream', 'database_unavailable', message, { cause, retryAfterSeconds: 5 })
}

/** The connection was lost before the database answered to a change, which it may have made. */
export function answerLost(cause: unknown): AppError {
  const message =
    'The connection to the database was lost while it saved the change. The change may or may not be kept. Look for it before you try again.'
  return new AppError('upstream', 'database_answer_lost', message, { cause, retryAfterSeconds: 5 })
}

/** For semaphores of changes: how long a change waits, and its error when that is too long. */
export const changeQueue = {
  timeoutMs: 30_000,
  refusal: () => databaseUnavailable('too many changes are waiting', undefined),
}

/** The disk failed after a commit: the change may be on it or not. */
export function diskFailed(cause: unknown): AppError {
  const message =
    "The database's disk reports an error. The change may or may not be kept. Check the disk, and look for the change before you try again."
  return new AppError('upstream', 'disk_failed', message, { cause, retryAfterSeconds: 5 })
}

/** How long a statement of a list, a search or an export may take. */
export const listTimeMs = 5_000

/** A list, a search or an export was stopped because it took too long. */
export function listTooSlow(cause: unknown): AppError {
  const message =
    `The list took longer than ${listTimeMs / 1_000} seconds and was stopped. ` +
    'Use fewer or longer words in the search, fewer conditions in the filter, or order by id.'
  return new AppError('invalid', 'list_too_slow', message, { cause })
}

/** SQLite's primary result code, PostgreSQL's SQLSTATE, and the system's codes for a full disk and a full quota. */
const fullCodes: readonly unknown[] = [13, '53100', 'ENOSPC', 'EDQUOT']

/** Whether the database cannot write because its disk is full. Reads still work. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode, cause } = Object(error) as Record<string, unknown>
  const primary = typeof errcode === 'number' ? errcode & 0xff : undefined
  if (fullCodes.includes(code) || fullCodes.includes(primary)) return true
  return cause !== undefined && cause !== error && isDiskFull(cause)
}

/** SQLSTATE classes: data exceptions, constraints, and limits such as the size of an index's row. */
const unstorableStates = /^(22|23|54)[0-9A-Z]{3}$/
/** Primary result codes of SQLite: too big, a constraint, another type. */
const unstorableCodes: readonly unknown[] = [18, 19, 20]

/** Whether the database works and refuses these values; trying again does not help. */
export function isUnstorable(error: unknown): boolean {
  if (error instanceof ConstraintError) return true
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown }
  const isStated = typeof code === 'string' && unstorableStates.test(code)
  return isStated || (typeof errcode === 'number' && unstorableCodes.includes(errcode & 0xff))
}

/** The message for a terminal: it names the file or the host, and no password. */
export interface FailureAdvice {
  /** The database, as the start of a sentence. */
  subject: string
  problem: string
  advice: string
}
