import { randomUUID } from 'node:crypto'
import { type QueryExecutorProvider, sql } from 'kysely'
import type pg from 'pg'
import { AppError } from '../../../kit/app-error.ts'
import { Semaphore } from '../../../kit/semaphore.ts'
import type {
  Database,
  DatabaseOptions,
  MigrationSupport,
  PoolState,
  Upgrade,
} from '../database.ts'
import { estimateByIds } from '../records/estimate-rows.ts'
import { changeQueue } from '../storage-error.ts'
import { createDialect } from './dialect.ts'
import { dumpCommands } from './dump-commands.ts'
import { isRetryable } from './errors.ts'
import { postgresFeatures } from './features.ts'
import { PostgresListReader } from './list-reader.ts'
import { channelName, openListener } from './listener.ts'
import { openLookUps } from './look-ups.ts'
import { openPool, type TimeLimits } from './pool.ts'

/** The other connections are for queries outside of transactions. A transaction that waits for such a query would block itself. */
const transactionsMax = 8
const statementTimeoutMs = 60_000
/** How long a statement waits for a lock. A process that hangs during a transaction has lost its locks before. */
const lockTimeoutMs = 20_000
/** How long a migration waits for a lock on a table. All queries of the table wait behind it. */
const migrationLockTimeoutMs = 30_000
/** The server ends a statement before that, so a connection that is silent for so long has lost its server. */
const silenceTimeoutMs = statementTimeoutMs + 15_000

/** PostgreSQL 14 and later, through `pg`: any number of processes on one database. */
export function openPostgres(options: DatabaseOptions): Database {
  const { silentAfterMs = silenceTimeoutMs } = options
  const limits = { statementMs: statementTimeoutMs, lockMs: lockTimeoutMs, silentMs: silentAfterMs }
  const pool = openPool(options, limits)
  const lookUps = openLookUps(options, limits)
  // What this process notifies has woken its own listeners before.
  const origin = `${randomUUID()} `
  const transactions = new Semaphore({ permits: transactionsMax, ...changeQueue })
  return {
    dialect: createDialect(pool),
    plugins: [],
    features: postgresFeatures,
    prepareUpgrade: (upgrade) => askForBackup(options.url, upgrade),
    migrations: createMigrationSupport(options),
    isRetryable,
    withPermit: (transaction) => transactions.run(transaction),
    // The server answers a commit once it is on the disk.
    flush: async () => undefined,
    connections: () => stateOf(pool),
    async changeStamp() {
      const read = lookUps.first<{ snapshot: string }>(currentSnapshot)
      return read.then(
        (row) => row?.snapshot,
        () => undefined,
      )
    },
    first: (_db, query) => lookUps.first(query),
    lists: new PostgresListReader(options, limits),
    channels: {
      openListener: (onNotify) => openListener(options, limits, { origin, onNotify }),
      notify: async (db, channel) =>
        void (await sql`select pg_notify(${channelName}, ${origin + channel})`.execute(db)),
    },
    ...queries,
    close: () => lookUps.close(),
  }
}

/** What needs no state. */
const queries = {
  async lock(tx: QueryExecutorProvider, name: string) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`mailyard:${name}`}, 0))`.execute(tx)
  },
  async ping(db: QueryExecutorProvider) {
    await sql`select 1`.execute(db)
  },
  async now(db: QueryExecutorProvider) {
    const epochMs = sql<{
      ms: number
    }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms`
    return (await epochMs.execute(db)).rows[0]?.ms ?? Number.NaN
  },
  async sizeBytes(db: QueryExecutorProvider) {
    const { rows } = await sql<{
      bytes: number
    }>`select pg_database_size(current_database()) as bytes`.execute(db)
    return Number(rows[0]?.bytes ?? 0)
  },
  async estimateRows(db: QueryExecutorProvider, table: string) {
    const { rows } = await sql<{ estimate: number }>`select reltuples as estimate
      from pg_class where oid = to_regclass(${table})`.execute(db)
    const estimate = Number(rows[0]?.estimate ?? -1)
    // A new table has no statistics.
    return estimate > 0 ? Math.round(estimate) : estimateByIds(db, table)
  },
  async version(db: QueryExecutorProvider) {
    const { rows } = await sql<{ version: string }>`select version() as version`.execute(db)
    return rows[0]?.version ?? 'PostgreSQL'
  },
} satisfies Pick<Database, 'lock' | 'ping' | 'now' | 'sizeBytes' | 'estimateRows' | 'version'>

/** Which transactions are visible: it changes with each that writes, in any database of the server. */
const currentSnapshot = { sql: 'select pg_current_snapshot()::text as snapshot', parameters: [] }

/** A migration of a large table takes long, and so does the wait for the process that runs it. */
const noLimits: TimeLimits = { statementMs: 0, lockMs: 0, silentMs: 0 }

function createMigrationSupport(options: DatabaseOptions): MigrationSupport {
  return {
    openDialect: () => createDialect(openPool(options, noLimits)),
    async beforeEach(db) {
      await sql`set local lock_timeout = ${sql.lit(migrationLockTimeoutMs)}`.execute(db)
    },
  }
}

function askForBackup(url: string, { from, to }: Upgrade): never {
  const { dump } = dumpCommands(url, `mailyard-${from}.dump`)
  const message =
    `The database is of version ${from} and has to be upgraded to ${to}. Nothing was changed in it. ` +
    `Back it up:\n\n  ${dump}\n\nThen upgrade it once:\n\n  mailyard migrate --backed-up`
  throw new AppError('conflict', 'backup_required', message)
}

function stateOf({ totalCount, idleCount, waitingCount }: pg.Pool): PoolState {
  return { active: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
}
