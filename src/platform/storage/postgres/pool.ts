import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type pg from 'pg'
import type { DatabaseOptions } from '../database.ts'

const require = createRequire(import.meta.url)

/** Besides the one for look-ups. */
const connectionsMax = 9
const connectTimeoutMs = 5_000
/** A process that hangs during a transaction blocks the others for so long at most. */
const idleTransactionTimeoutMs = 15_000

/** How long a statement may take and wait for a lock, and how long the server may be silent; 0 for no limit. */
export interface TimeLimits {
  statementMs: number
  lockMs: number
  silentMs: number
}

/** Opens a pool, whose connections are made when they are needed. */
export function openPool(
  { url, onIdleError }: DatabaseOptions,
  { statementMs, lockMs, silentMs }: TimeLimits,
  poolOptions: Pick<pg.PoolConfig, 'max' | 'pipeline'> = { max: connectionsMax },
): pg.Pool {
  // Loaded only where PostgreSQL is the database.
  const { Pool, types } = require('pg') as typeof pg
  const pool = new Pool({
    connectionString: url,
    ...poolOptions,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    lock_timeout: lockMs,
    application_name: 'mailyard',
    keepAlive: true,
    types: { getTypeParser: createTypeParsers(types) },
  })
  pool.on('error', (error) => {
    // The pool adds the whole connection, which must not be logged.
    Reflect.deleteProperty(error, 'client')
    onIdleError(error)
  })
  pool.on('connect', (client) => {
    // A connection may be lost between two queries of a transaction. The next query rejects. Without a listener for
    // the event, the process would end.
    client.on('error', () => undefined)
    waitForDisk(client)
    endWhenSilent(client, silentMs)
  })
  return pool
}

/**
 * Makes the server answer a commit only once it is on the disk, even if its configuration says otherwise for this
 * database or user. Stricter settings stay.
 */
function waitForDisk(client: pg.PoolClient): void {
  // It is sent before the first query of the connection. If it fails, the connection is lost.
  client
    .query(
      `select set_config('synchronous_commit', 'on', false)
       where current_setting('synchronous_commit') = 'off'`,
    )
    .catch(() => undefined)
}

/**
 * Closes a connection whose server is silent for too long (a machine that failed over, a firewall that dropped the
 * connection). The system would wait for 15 minutes. Queries that wait for an answer reject.
 */
function endWhenSilent(client: pg.PoolClient, timeoutMs: number): void {
  const stream = streamOf(client)
  stream.setTimeout(timeoutMs, () => stream.destroy())
}

/** The socket of a connection. */
export function streamOf(client: pg.PoolClient): Socket {
  return (client as pg.PoolClient & { connection: { stream: Socket } }).connection.stream
}

/** Ids and times are bigint in the tables and numbers in the program. All fit in 53 bits. */
function createTypeParsers(types: typeof pg.types) {
  return (oid: number, format?: 'text' | 'binary'): ((value: string) => unknown) => {
    if (oid === types.builtins.INT8 && format !== 'binary') return Number
    return types.getTypeParser(oid, format ?? 'text') as (value: string) => unknown
  }
}
