import { setTimeout } from 'node:timers/promises'
import { type CompiledQuery, Kysely, type QueryExecutorProvider, type Transaction } from 'kysely'
import type { Eventual } from '../kit/eventual.ts'
import type { Database, DatabaseOptions } from './database.ts'
import { type DatabaseKind, databaseKind, databases } from './databases.ts'
import { createLateDisk } from './late-disk.ts'
import { runAtOnce, runStepByStep, type Statements } from './statements.ts'
import { ConstraintError } from './storage-error.ts'
import { withoutRowLocks } from './without-row-locks.ts'

const attemptsMax = 8

/** How a transaction ends when its work did not throw. */
export interface TransactionOptions<Result> {
  /** Whether the result is worth keeping; else everything is rolled back. Always, if left out. */
  keeps?(result: Result): boolean
  /**
   * Whether `work` checks what the constraints of its tables ask for. Where one is violated all the same, another
   * transaction was faster: it runs again, and its checks find what the other one wrote.
   */
  checksConstraints?: boolean
}

/** What migrations run on. */
export interface Migrating {
  db: Kysely<unknown>
  beforeEach: (db: Kysely<unknown>) => Promise<void>
}

/** The one database of a Mailyard, whichever it is. */
export interface Storage {
  readonly kind: DatabaseKind
  /** Queries over the tables that a room declares. */
  tables<Tables>(): Kysely<Tables>
  /** The first row that a query finds, outside of any transaction: at once where the database can. */
  first<Row>(query: CompiledQuery): Eventual<Row | undefined>
  /**
   * All or nothing. Run again where it lost against another transaction, so `work` must have no effect
   * outside the database.
   */
  transaction<Tables, Result>(
    work: (tx: Transaction<Tables>) => Promise<Result>,
    options?: TransactionOptions<Result>,
  ): Promise<Result>
  /**
   * All or nothing, of work that is nothing but its queries: at once where the database can. What it changed survives
   * this process, and a power cut once `reachDisk` resolves, or ten milliseconds later by itself.
   */
  write<Result>(statements: () => Statements<Result>): Promise<Result>
  /** Resolves once what is committed by now survives a power cut. Throws an AppError (`upstream`). */
  reachDisk(): Promise<void>
  /** Makes transactions that name the same lock run one after the other, until this one ends. */
  lock(tx: QueryExecutorProvider, name: string): Promise<void>
  /**
   * Runs work on connections whose statements may take as long as they need; `beforeEach` is to be run at the start of
   * each migration.
   */
  forMigrations<Result>(work: (migrating: Migrating) => Promise<Result>): Promise<Result>
  /**
   * A number that changes whenever anybody, in any process, may have changed the data; undefined where
   * the database has none that is cheaper than a query.
   */
  changeStamp(): number | undefined
  /** Throws an AppError (`upstream`) unless the database answers. */
  ping(): Promise<void>
  /** The database's own clock, in milliseconds since the epoch. */
  now(): Promise<number>
  version(): Promise<string>
  close(): Promise<void>
}

/** Opens the database that the URL names. The first query connects. */
export function openStorage(options: DatabaseOptions): Storage {
  const kind = databaseKind(options.url)
  const database = databases[kind](options)
  const plugins = kind === 'sqlite' ? [withoutRowLocks] : []
  const db = new Kysely<unknown>({ dialect: database.dialect, plugins })
  const lateDisk = createLateDisk(database, options.onIdleError)

  return {
    kind,
    tables: <Tables>() => db as Kysely<Tables>,
    first: <Row>(query: CompiledQuery) => {
      const read = database.readAtOnce<Row>(query)
      return read === undefined ? readFirst<Row>(db, query) : read.row
    },
    async transaction(work, options = {}) {
      const result = await retryTransaction(database, db, { work, options })
      await database.reachDisk()
      return result
    },
    async write(statements) {
      const written =
        database.writeAtOnce((run) => runAtOnce(statements(), run)) ??
        (await retry(database, () => runStatements(db, statements)))
      lateDisk.ask()
      return written.result
    },
    reachDisk: () => database.reachDisk(),
    lock: (tx, name) => database.lock(tx, name),
    async forMigrations(work) {
      const { migrations } = database
      if (migrations === undefined) return work({ db, beforeEach: async () => undefined })
      const own = new Kysely<unknown>({ dialect: migrations.openDialect(), plugins })
      try {
        return await work({ db: own, beforeEach: migrations.beforeEach })
      } finally {
        await own.destroy()
      }
    },
    changeStamp: () => database.changeStamp(),
    ping: () => database.ping(db),
    now: () => database.now(db),
    version: () => database.version(db),
    async close() {
      await lateDisk.end()
      await db.destroy()
    },
  }
}

async function readFirst<Row>(db: Kysely<unknown>, query: CompiledQuery): Promise<Row | undefined> {
  return (await db.executeQuery<Row>(query)).rows[0]
}

async function runStatements<Result>(
  db: Kysely<unknown>,
  statements: () => Statements<Result>,
): Promise<{ result: Result }> {
  const inTransaction = (tx: Transaction<unknown>) =>
    runStepByStep(statements(), async (query) => (await tx.executeQuery(query)).rows)
  return { result: await db.transaction().execute(inTransaction) }
}

/** Thrown to make Kysely roll back a transaction whose result is still to be returned. */
class RollBack extends Error {
  readonly result: unknown
  constructor(result: unknown) {
    super('The result is not kept.')
    this.result = result
  }
}

async function runTransaction<Tables, Result>(
  db: Kysely<unknown>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
  options: TransactionOptions<Result>,
): Promise<Result> {
  try {
    return await db.transaction().execute(async (tx) => {
      const result = await work(tx as unknown as Transaction<Tables>)
      if (options.keeps?.(result) === false) throw new RollBack(result)
      return result
    })
  } catch (error) {
    if (error instanceof RollBack) return error.result as Result
    throw error
  }
}

function retryTransaction<Tables, Result>(
  database: Database,
  db: Kysely<unknown>,
  { work, options }: TransactionWork<Tables, Result>,
): Promise<Result> {
  const isRetryable = (error: unknown) =>
    database.isRetryable(error) ||
    (options.checksConstraints === true && error instanceof ConstraintError)
  const inTurn = <T>(transaction: () => Promise<T>) => database.inTurn(transaction)
  return retry({ inTurn, isRetryable }, () => runTransaction(db, work, options))
}

interface TransactionWork<Tables, Result> {
  work: (tx: Transaction<Tables>) => Promise<Result>
  options: TransactionOptions<Result>
}

async function retry<T>(
  { inTurn, isRetryable }: Pick<Database, 'inTurn' | 'isRetryable'>,
  transaction: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTurn(transaction)
    } catch (error) {
      if (attempt >= attemptsMax || !isRetryable(error)) throw error
    }
    await setTimeout(Math.random() * 10 * 2 ** attempt)
  }
}
