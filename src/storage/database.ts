import type { CompiledQuery, Dialect, QueryExecutorProvider } from 'kysely'

/** Runs one query; returns its rows. */
export type RunAtOnce = (query: CompiledQuery) => readonly unknown[]

/** What the databases differ in; everything above speaks one query language to all of them. */
export interface Database {
  readonly dialect: Dialect
  /** How migrations run, where it differs from other work. */
  readonly migrations?: MigrationSupport
  /** Whether waiting and trying again may let a failed transaction through (deadlock, busy). */
  isRetryable: (error: unknown) => boolean
  /** Runs a transaction once there is room for one, such that a query outside of it need not wait for its end. */
  inTurn<T>(transaction: () => Promise<T>): Promise<T>
  /** Makes transactions that name the same lock run one after the other, until this one ends. */
  lock(tx: QueryExecutorProvider, name: string): Promise<void>
  /** Resolves once what was committed by now is on the disk. */
  reachDisk(): Promise<void>
  /**
   * A number that changes whenever anybody, in any process, may have changed the data; undefined where
   * the database has no such number that is cheaper than a query.
   */
  changeStamp(): number | undefined
  /** The first row of a read outside of any transaction; undefined where it has to be waited for. */
  readAtOnce<Row>(query: CompiledQuery): { row: Row | undefined } | undefined
  /**
   * Runs work that needs no waiting in a transaction, and commits it; undefined, with nothing changed, where that cannot
   * be at once, or fails.
   */
  writeAtOnce<Result>(work: (run: RunAtOnce) => Result): { result: Result } | undefined
  /** Throws unless the database answers. */
  ping(db: QueryExecutorProvider): Promise<void>
  /** The database's own clock, in milliseconds since the epoch. */
  now(db: QueryExecutorProvider): Promise<number>
  /** The version of the database, for `mailyard doctor`. */
  version(db: QueryExecutorProvider): Promise<string>
}

/** What a database whose statements have a time limit does for migrations, which have none. */
export interface MigrationSupport {
  /** Connections of their own; the caller destroys it. */
  openDialect(): Dialect
  /** Runs before each migration, in its transaction. */
  beforeEach: (db: QueryExecutorProvider) => Promise<void>
}

/** What a database needs to be opened. */
export interface DatabaseOptions {
  /** `sqlite:<path>` or `postgres://…`. */
  url: string
  /** Told of what fails while nobody waits for it: an idle connection, a disk. */
  onIdleError: (error: Error) => void
  /** After so long without a word a connection to a server is taken for lost, in milliseconds. */
  silentAfterMs?: number
}

/** Opens one kind of database; connections are made at the first query. */
export type OpenDatabase = (options: DatabaseOptions) => Database
