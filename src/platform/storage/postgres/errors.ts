import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'
import { answerLost, ConstraintError, databaseUnavailable } from '../storage-error.ts'

/** Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const unavailableClasses = new Map([
  ['08', 'the connection was lost'],
  ['53', 'it is out of resources'],
  ['58', 'its system reports an error'],
])
const unavailableCodes = new Map([
  ['25006', 'it is read-only'],
  ['55P03', 'a lock was not free in time'],
  ['57014', 'it took too long'],
  ['57P01', 'it is shutting down'],
  ['57P02', 'it crashed'],
  ['57P03', 'it is starting up'],
  ['25P03', 'it ended a transaction that stood idle'],
  ['57P05', 'it closed an idle session'],
  ['28P01', 'it refuses our password'],
  ['28000', 'it refuses our user'],
  ['3D000', 'the database does not exist'],
])
const retryableCodes = ['40001', '40P01']

/** What `pg` throws when no answer comes. These errors have no code. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after|The server does not support SSL)/

interface PostgresError extends Error {
  code?: string
  column?: string
  constraint?: string
  detail?: string
  severity?: string
}

/** Whether the transaction lost against another one and may be run again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof Error && retryableCodes.includes((error as PostgresError).code ?? '')
}

/**
 * Turns an error of `pg` into one that other modules know.
 *
 * @param isLasting Whether the statement may have taken effect although no answer came.
 */
export function translateError(error: unknown, isLasting: boolean): unknown {
  if (!(error instanceof Error)) return error
  const { code = '', detail = '' } = error as PostgresError
  if (code === '23505') return new ConstraintError('unique', constrainedColumns(detail), error)
  if (code === '23503') {
    return new ConstraintError('foreign_key', constrainedColumns(detail), error)
  }
  const reason = unavailableReason(error, code)
  if (reason === undefined) return error
  return isLasting && !isAnswer(error) ? answerLost(error) : databaseUnavailable(reason, error)
}

/** Whether the server answered that the statement failed, and goes on. */
function isAnswer({ severity }: PostgresError): boolean {
  return severity === 'ERROR'
}

function unavailableReason(error: Error, code: string): string | undefined {
  const known = unavailableCodes.get(code) ?? unavailableClasses.get(code.slice(0, 2))
  if (known !== undefined) return known
  const isSystemError = 'syscall' in error || /^E[A-Z_]{3,}$/.test(code)
  return isSystemError || lostConnection.test(error.message) ? 'it does not answer' : undefined
}

/** From `Key (username, email)=(a, b) already exists.` */
function constrainedColumns(detail: string): string[] {
  return /^Key \(([^)]*)\)=/.exec(detail)?.[1]?.split(', ') ?? []
}

/** Without an answer, a statement that `isLasting` may or may not have taken effect. */
export type Translate = (error: unknown, isLasting: boolean) => unknown

/** The same driver, with every error of the database turned into one that other modules know. */
export function translateErrors(driver: Driver, translate: Translate): Driver {
  const translated = new WeakSet<DatabaseConnection>()
  const inTransaction = new WeakSet<DatabaseConnection>()
  const guard = async <T>(work: () => Promise<T>, isLasting = false) => {
    try {
      return await work()
    } catch (error) {
      throw translate(error, isLasting)
    }
  }
  const guardConnection = (connection: DatabaseConnection): DatabaseConnection => {
    if (translated.has(connection)) return connection
    const executeQuery = connection.executeQuery.bind(connection)
    connection.executeQuery = <Row>(query: CompiledQuery) =>
      guard(() => executeQuery<Row>(query), isLasting(query, inTransaction.has(connection)))
    translated.add(connection)
    return connection
  }
  return {
    init: () => guard(() => driver.init()),
    acquireConnection: async () => guardConnection(await guard(() => driver.acquireConnection())),
    beginTransaction(connection, settings) {
      inTransaction.add(connection)
      return guard(() => driver.beginTransaction(connection, settings))
    },
    commitTransaction: (connection) => guard(() => driver.commitTransaction(connection)),
    // The caller gets the cause of the rollback; a lost connection rolls back as well.
    rollbackTransaction: (connection) =>
      driver.rollbackTransaction(connection).catch(() => undefined),
    releaseConnection(connection) {
      inTransaction.delete(connection)
      return driver.releaseConnection(connection)
    },
    destroy: () => driver.destroy(),
  }
}

/** Whether the effect of a statement stays: a commit, or a change outside of any transaction. */
function isLasting({ sql, query: { kind } }: CompiledQuery, isInTransaction: boolean): boolean {
  return sql === 'commit' || (!isInTransaction && changes.has(kind))
}

const changes = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])
