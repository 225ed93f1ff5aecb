import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import {
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type pg from 'pg'
import type { Database, DatabaseOptions } from '../database.ts'
import { createTurns, inTurn } from '../turns.ts'
import { isRetryable, translateError } from './errors.ts'
import { translateErrors } from './translating-driver.ts'

const require = createRequire(import.meta.url)

const connectionsMax = 10
/** The others are for queries outside of them: who waits for one in a transaction would wait for himself. */
const transactionsMax = 8
const connectTimeoutMs = 5_000
const statementTimeoutMs = 60_000
/** A process that hangs in the midst of a transaction holds up the others for so long at most. */
const idleTransactionTimeoutMs = 15_000
/** How long a migration waits for a lock on a table: all queries of the table wait behind it. */
const migrationLockTimeoutMs = 30_000
/** The server ends a statement before that, so a connection that says nothing for so long has lost its other end. */
const silenceTimeoutMs = statementTimeoutMs + 15_000

/** PostgreSQL 14 and later, through `pg`: any number of processes on one database. */
export function openPostgres(options: DatabaseOptions): Database {
  const { silentAfterMs = silenceTimeoutMs } = options
  const pool = openPool(options, { statementMs: statementTimeoutMs, silentMs: silentAfterMs })
  const turns = createTurns({ count: transactionsMax })
  return {
    dialect: createDialect(pool),
    migrations: {
      openDialect: () => createDialect(openPool(options, noLimits)),
      async beforeEach(db) {
        await sql`set local lock_timeout = ${sql.lit(migrationLockTimeoutMs)}`.execute(db)
      },
    },
    isRetryable,
    inTurn: (transaction) => inTurn(turns, transaction),
    async lock(tx, name) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`mailyard:${name}`}, 0))`.execute(
        tx,
      )
    },
    // A commit is answered once it is there.
    reachDisk: async () => undefined,
    changeStamp: () => undefined,
    readAtOnce: () => undefined,
    writeAtOnce: () => undefined,
    async ping(db) {
      await sql`select 1`.execute(db)
    },
    async now(db) {
      const epochMs = sql<{
        ms: number
      }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms`
      return (await epochMs.execute(db)).rows[0]?.ms ?? Number.NaN
    },
    async version(db) {
      const { rows } = await sql<{ version: string }>`select version() as version`.execute(db)
      return rows[0]?.version ?? 'PostgreSQL'
    },
  }
}

/** How long a statement may take, and the server may say nothing; 0 for as long as it takes. */
interface TimeLimits {
  statementMs: number
  silentMs: number
}

/** A migration of a large table takes its time, and so does the wait for the process that runs it. */
const noLimits: TimeLimits = { statementMs: 0, silentMs: 0 }

function createDialect(pool: pg.Pool): Dialect {
  return {
    createDriver: (): Driver => translateErrors(new PostgresDriver({ pool }), translateError),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

function openPool(
  { url, onIdleError }: DatabaseOptions,
  { statementMs, silentMs }: TimeLimits,
): pg.Pool {
  // Loaded only where PostgreSQL is the database.
  const { Pool, types } = require('pg') as typeof pg
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    application_name: 'mailyard',
    keepAlive: true,
    types: { getTypeParser: createTypeParsers(types) },
  })
  pool.on('error', (error) => {
    // The pool adds the whole connection, and a log would have all of that.
    Reflect.deleteProperty(error, 'client')
    onIdleError(error)
  })
  pool.on('connect', (client) => {
    // A connection may be lost between two queries of a transaction, when nobody listens: the next query
    // rejects, which is told where it was asked. Without a listener the whole process would end.
    client.on('error', () => undefined)
    endWhenSilent(client, silentMs)
  })
  return pool
}

/**
 * Where the other end is gone without a word (a machine that failed over, a firewall that forgot the connection), the system
 * would wait for a quarter of an hour. What waits for an answer hears then that the connection was lost.
 */
function endWhenSilent(client: pg.PoolClient, timeoutMs: number): void {
  const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection
  stream.setTimeout(timeoutMs, () => stream.destroy())
}

/** Ids and times are bigint in the tables and numbers in the program: all fit in 53 bits. */
function createTypeParsers(types: typeof pg.types) {
  return (oid: number, format?: 'text' | 'binary'): ((value: string) => unknown) => {
    if (oid === types.builtins.INT8 && format !== 'binary') return Number
    return types.getTypeParser(oid, format ?? 'text') as (value: string) => unknown
  }
}
