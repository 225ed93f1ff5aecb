import type {
  CompiledQuery,
  Dialect,
  Kysely,
  KyselyPlugin,
  QueryExecutorProvider,
  QueryResult,
  RawBuilder,
} from 'kysely'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import type { DatabaseFeatures } from './features.ts'

/** What the databases differ in. Everything above speaks one query language to all of them. */
export interface Database {
  readonly dialect: Dialect
  readonly plugins: KyselyPlugin[]
  readonly features: DatabaseFeatures
  /**
   * Keeps what an upgrade will change, before it.
   *
   * @returns The path of a copy.
   * @throws AppError (`conflict`) if a person has to make a back-up, or the copy fails.
   */
  prepareUpgrade(upgrade: Upgrade): string | undefined
  /** How migrations run, where it differs from other work. */
  readonly migrations?: MigrationSupport
  /** Whether a failed transaction may succeed when it runs again (deadlock, serialization failure). */
  isRetryable: (error: unknown) => boolean
  /** Runs a transaction when a connection is free. Some connections are reserved for queries outside of transactions. */
  withPermit<T>(transaction: () => Promise<T>): Promise<T>
  /** Makes transactions that name the same lock run one after the other, until this one ends. */
  lock(tx: QueryExecutorProvider, name: string): Promise<void>
  /** Resolves once all that is committed so far is on the disk. Throws an AppError (`upstream`). */
  flush(): Promise<void>
  /**
   * A value that changes with each commit of any process: read synchronously where the database can. Undefined where it
   * does not answer.
   */
  changeStamp(): MaybePromise<ChangeStamp | undefined>
  /** The first row of a read outside of any transaction: synchronously where the database can. */
  first<Row>(db: Kysely<unknown>, query: CompiledQuery): MaybePromise<Row | undefined>
  /** How lists, searches and exports are read. */
  readonly lists: ListReader
  /** Throws unless the database answers. */
  ping(db: QueryExecutorProvider): Promise<void>
  /** The database's own clock, in milliseconds since the epoch. */
  now(db: QueryExecutorProvider): Promise<number>
  /** The connections of the pool; undefined where there is no pool. */
  readonly connections?: () => PoolState
  /** The size of the database on its disk. */
  sizeBytes(db: QueryExecutorProvider): Promise<number>
  /** About how many rows a table with ids has, without counting them. */
  estimateRows(db: QueryExecutorProvider, table: string): Promise<number>
  /** The version of the database, for `mailyard doctor`. */
  version(db: QueryExecutorProvider): Promise<string>
  /** How processes wake each other. */
  readonly channels: RemoteChannels
  /** Closes what the dialect does not. */
  close(): Promise<void>
}

/**
 * Reads lists, searches and exports, apart from everything else: whatever they scan, no other request waits for them. Their statements
 * have a time limit, and few run at a time, by caller in turn.
 */
export interface ListReader extends ListConditions {
  /**
   * Runs a statement.
   *
   * @param owner The key of the caller whose share it uses.
   * @param isAccepted Whether it continues what has been accepted before; it then waits, however many statements do.
   * @throws AppError `list_too_slow` after five seconds, and `rate_limited` if too many statements of this owner wait.
   */
  read<Row>(owner: string, query: CompiledQuery, isAccepted: boolean): Promise<QueryResult<Row>>
  close(): Promise<void>
}

/** Conditions and orders of lists that the databases spell differently. */
export interface ListConditions {
  /** True for each row. It belongs into each statement that may scan many rows: it is what can stop the statement. */
  readonly isInTime: RawBuilder<boolean>
  /** Whether a text contains another one, character for character. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<boolean>
  /** What orders texts as people do: "Brand 2" before "Brand 10". Numbers have up to ten digits. */
  natural(text: RawBuilder<unknown>): RawBuilder<string>
}

/** Listens for notifications until it is closed. */
export interface NotificationListener {
  close(): Promise<void>
}

/** How other processes are reached. */
export interface RemoteChannels {
  /** `onNotify` gets the channel; undefined if any may have been notified. */
  openListener(onNotify: (channel: string | undefined) => void): NotificationListener
  notify(db: QueryExecutorProvider, channel: string): Promise<void>
}

/** The connections of a pool, and the queries that wait for one. */
export interface PoolState {
  active: number
  idle: number
  waiting: number
}

/** The versions of a database before and after its migrations. */
export interface Upgrade {
  from: string
  to: string
}

/** See `Database.changeStamp`. Stamps are compared with `===`. */
export type ChangeStamp = number | string

/** What a database whose statements have a time limit does for migrations, which have none. */
export interface MigrationSupport {
  /** Connections of their own; the caller destroys it. */
  openDialect(): Dialect
  /** Runs before each migration, in its transaction. */
  beforeEach: (db: QueryExecutorProvider) => Promise<void>
}

export interface DatabaseOptions {
  /** `sqlite:<path>` or `postgres://…`. */
  url: string
  /** Gets the errors that no caller waits for: of an idle connection, or of the disk. */
  onIdleError: (error: Error) => void
  /** A connection to a server that is silent for so long is lost, in milliseconds. */
  silentAfterMs?: number
  /** How long a statement of a list may take, in milliseconds. Default: five seconds. */
  listTimeMs?: number
}

/** Opens one kind of database; connections are made at the first query. */
export type OpenDatabase = (options: DatabaseOptions) => Database
