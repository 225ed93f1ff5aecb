import {
  type Compilable,
  type CompiledQuery,
  Kysely,
  type QueryExecutorProvider,
  type Transaction,
} from 'kysely'
import { backOffMs } from '../../kit/back-off.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { sleep } from '../../kit/timers.ts'
import { type Channels, openChannels } from './channels.ts'
import type { ChangeStamp, Database, DatabaseOptions, PoolState } from './database.ts'
import { type DatabaseKind, databaseKind, databases } from './databases.ts'
import type { DatabaseFeatures } from './features.ts'
import { type ListReads, openListReads } from './list-reads.ts'
import { ConstraintError } from './storage-error.ts'

const attemptsMax = 8
/** Transactions that conflict spread over the whole wait. */
const retryWaits = { firstMs: 10, longestMs: 640, jitter: 1 }

/** How a transaction ends when its work does not throw. */
export interface TransactionOptions<Result> {
  /** Whether to commit; else everything is rolled back, and the result is returned. Default: always. */
  keeps?(result: Result): boolean
  /**
   * Whether `work` checks what the constraints of its tables demand. Where one is violated all the same, another
   * transaction was faster: `work` runs again, and its checks find what the other one wrote.
   */
  checksConstraints?: boolean
  /**
   * Whether the call resolves after the commit, without waiting for the disk. The change then survives a crash of this
   * process, but a power failure only after `flush`, or ten milliseconds later.
   */
  isFlushDeferred?: boolean
}

/** Which database it is; for operators only, modules ask for its features. */
export interface DatabaseDescription {
  kind: DatabaseKind
  version: string
  /** Its size on its disk. */
  sizeBytes: number
}

/** What migrations run on. */
export interface Migrating {
  db: Kysely<unknown>
  beforeEach: (db: Kysely<unknown>) => Promise<void>
}

/** The one database of a Mailyard, whichever it is. */
export interface Storage extends DatabaseFeatures {
  /** Queries over the tables of a module. A change outside of a transaction is on the disk when it resolves. */
  tables<Tables>(): Kysely<Tables>
  /**
   * The reads of one list, search or export: for statements that may scan many rows, so that no other request waits for them.
   *
   * @param owner The key of its caller.
   * @param isAccepted Whether it waits for its turn, however many other reads of this caller wait: for a plain list, which is no search.
   */
  lists<Tables>(owner: string, isAccepted?: boolean): ListReads<Tables>
  /** The first row that a query finds, outside of any transaction: synchronously where the database can. */
  first<Row>(query: CompiledQuery): MaybePromise<Row | undefined>
  /**
   * Runs work as a whole or not at all; the change is on the disk when this resolves. `work` runs again where it lost
   * against another transaction, so it must have no effect outside the database.
   */
  transaction<Tables, Result>(
    work: (tx: Transaction<Tables>) => Promise<Result>,
    options?: TransactionOptions<Result>,
  ): Promise<Result>
  /** Resolves once all that is committed so far survives a power failure. Throws an AppError (`upstream`). */
  flush(): Promise<void>
  /** Makes transactions that name the same lock run one after the other, until this one ends. */
  lock(tx: QueryExecutorProvider, name: string): Promise<void>
  /** See `Channels`. */
  listen: Channels['listen']
  notify: Channels['notify']
  /** See `Database.prepareUpgrade`. */
  prepareUpgrade: Database['prepareUpgrade']
  /**
   * Runs work on connections whose statements may take as long as they need; `beforeEach` is to be run at the start of
   * each migration.
   */
  forMigrations<Result>(work: (migrating: Migrating) => Promise<Result>): Promise<Result>
  /**
   * A value that changes with each commit of any process: what was read after it is still current while it is the same.
   * Undefined where the database does not answer.
   */
  changeStamp(): MaybePromise<ChangeStamp | undefined>
  /** Throws an AppError (`upstream`) unless the database answers. */
  ping(): Promise<void>
  /** The connections of this process; undefined where the database has no pool. */
  connections(): PoolState | undefined
  /** The database's own clock, in milliseconds since the epoch; read by this transaction where one is given. */
  now(tx?: QueryExecutorProvider): Promise<number>
  /** What operators see of it. */
  describe(): Promise<DatabaseDescription>
  /** About how many rows a table with ids has, without counting them. */
  estimateRows(table: string): Promise<number>
  close(): Promise<void>
}

/** Opens the database that the URL names. The first query connects. */
export function openStorage(options: DatabaseOptions): Storage {
  const kind = databaseKind(options.url)
  const database = databases[kind](options)
  const { dialect, plugins } = database
  const db = new Kysely<unknown>({ dialect, plugins })
  const channels = openChannels(db, database.channels)
  return {
    ...database.features,
    tables: <Tables>() => db as Kysely<Tables>,
    lists: <Tables>(owner: string, isAccepted = false) =>
      openListReads<Tables>({ owner, isAccepted, reader: database.lists, dialect }),
    first: <Row>(query: CompiledQuery) => database.first<Row>(db, query),
    async transaction(work, options = {}) {
      const result = await retryTransaction(database, db, { work, options })
      if (options.isFlushDeferred !== true) await database.flush()
      return result
    },
    flush: () => database.flush(),
    lock: (tx, name) => database.lock(tx, name),
    listen: (channel, callback) => channels.listen(channel, callback),
    notify: (channel) => channels.notify(channel),
    prepareUpgrade: (upgrade) => database.prepareUpgrade(upgrade),
    async forMigrations(work) {
      const { migrations } = database
      if (migrations === undefined) return work({ db, beforeEach: async () => undefined })
      const connection = new Kysely<unknown>({ dialect: migrations.openDialect(), plugins })
      try {
        return await work({ db: connection, beforeEach: migrations.beforeEach })
      } finally {
        await connection.destroy()
      }
    },
    changeStamp: () => database.changeStamp(),
    ping: () => database.ping(db),
    connections: () => database.connections?.(),
    now: (tx = db) => database.now(tx),
    async describe() {
      const version = await database.version(db)
      return { kind, version, sizeBytes: await database.sizeBytes(db) }
    },
    estimateRows: (table) => database.estimateRows(db, table),
    async close() {
      await channels.close()
      await database.lists.close()
      await db.destroy()
      await database.close()
    },
  }
}

/** Reads one row by the values of its query's parameters. */
export type LookUp<Values, Row> = (values: Values) => MaybePromise<Row | undefined>

/**
 * A query for at most one row outside of any transaction, answered synchronously where the database can. Its SQL is
 * compiled at its first use.
 *
 * @param build Builds the query once, with a placeholder for each value of a look-up.
 */
export function createLookUp<Values extends object, Row>(
  storage: Storage,
  build: (placeholders: Values) => Compilable<Row>,
): LookUp<Values, Row> {
  let compiled: CompiledQuery | undefined
  return (values) => {
    compiled ??= build(placeholders as Values).compile()
    const { query, queryId, sql } = compiled
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    )
    return storage.first<Row>({ query, queryId, sql, parameters })
  }
}

/** Stands for a value of a look-up in its query. */
class Placeholder {
  readonly name: PropertyKey
  constructor(name: PropertyKey) {
    this.name = name
  }
}

/** An object that has a placeholder for each name. */
const placeholders = new Proxy<object>({}, { get: (_target, name) => new Placeholder(name) })

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
  const withPermit = <T>(transaction: () => Promise<T>) => database.withPermit(transaction)
  return retry({ withPermit, isRetryable }, () => runTransaction(db, work, options))
}

interface TransactionWork<Tables, Result> {
  work: (tx: Transaction<Tables>) => Promise<Result>
  options: TransactionOptions<Result>
}

async function retry<T>(
  { withPermit, isRetryable }: Pick<Database, 'withPermit' | 'isRetryable'>,
  transaction: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withPermit(transaction)
    } catch (error) {
      if (attempt >= attemptsMax || !isRetryable(error)) throw error
    }
    await sleep(backOffMs(retryWaits, attempt - 1))
  }
}
