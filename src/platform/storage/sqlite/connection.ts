import { type BigIntStats, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { BoundedMemory } from '../../../kit/bounded-memory.ts'
import { startStopwatch } from '../../../kit/clock.ts'
import { createFile } from '../files.ts'
import { databaseUnavailable, diskFailed } from '../storage-error.ts'

/** How many prepared statements one connection keeps. */
const statementsMax = 500
/** How long the write-ahead log grows before SQLite copies it into the database file, in pages of 4 KB. */
const checkpointPages = 4_000
/** What is left of a write-ahead log that has grown under a long transaction or a back-up, in bytes. */
const logSizeMax = 64 * 1024 * 1024

interface Statement {
  statement: StatementSync
  /** The names of the columns that it returns; empty where it returns no rows. */
  names: readonly string[]
}

/** What a read throws that was stopped because its time was over. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
}

/** Stops a read whose time is over; a condition of statements. */
export const inTimeFunction = 'is_in_time'
/** The function of SQL that writes a text as it is ordered; see `ListConditions.natural`. */
export const naturalFunction = 'natural'

type Query = Pick<CompiledQuery, 'sql' | 'parameters'>
type Parameter = string | number | bigint | null | Uint8Array
type Cells = readonly unknown[]

/** An open connection to a SQLite file, with its prepared statements. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #path: string
  readonly #file: BigIntStats
  readonly #statements = new BoundedMemory<string, Statement>({ sizeMax: statementsMax })
  /** When the read that runs is stopped, if it asks. */
  #checkTime = () => 1

  /** Opens the file. Creates it, and its folder, only where `canCreate`. */
  constructor(path: string, { canCreate }: { canCreate: boolean }) {
    if (canCreate) createFile(path)
    else statFile(path)
    this.#database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true })
    this.#path = path
    try {
      // WriteAheadLog calls fsync after each commit; with `full` SQLite would do it on the main thread.
      // cspell:disable-next-line
      this.#database.exec('pragma journal_mode = wal; pragma synchronous = normal')
      // cspell:disable-next-line
      this.#database.exec(`pragma journal_size_limit = ${logSizeMax}`)
      // Each checkpoint blocks the thread. Fewer checkpoints copy more at a time, but a page only once.
      this.#database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`)
      this.#file = statFile(path)
      this.#database.function(inTimeFunction, () => this.#checkTime())
      this.#database.function(naturalFunction, (text) =>
        String(text).replaceAll(/\d+/g, (digits) => digits.slice(-10).padStart(10, '0')),
      )
    } catch (error) {
      // Callers try again every few milliseconds; left to the garbage collector, the files would stay open.
      this.#database.close()
      throw error
    }
  }

  get isOpen(): boolean {
    return this.#database.isOpen
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction
  }

  /**
   * Checks that the open file is still the one at its path. SQLite would go on writing to a deleted file, and
   * acknowledged changes would be lost.
   *
   * @throws AppError (`upstream`) where the file is gone or was replaced.
   */
  checkFile(): void {
    const { ino, dev } = statFile(this.#path)
    if (ino !== this.#file.ino || dev !== this.#file.dev) {
      throw databaseUnavailable('its file was replaced', undefined)
    }
  }

  /** Runs a statement that has no parameters and returns nothing. */
  exec(sql: string): void {
    this.#prepare(sql).statement.run()
  }

  run<Row>({ sql, parameters }: Query): QueryResult<Row> {
    const prepared = this.#prepare(sql)
    const values = parameters.map(bind)
    if (prepared.names.length === 0) {
      const { changes } = prepared.statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes) }
    }
    const all = prepared.statement.all(...values) as unknown as Cells[]
    return { rows: all.map((cells) => toRow<Row>(prepared, cells)) }
  }

  /**
   * Runs a read for a limited time, in milliseconds. SQLite cannot be interrupted from its own thread, so the statement has the condition
   * `is_in_time()`, which SQLite evaluates for each row.
   *
   * @throws OutOfTime
   */
  runWithin<Row>(query: Query, timeMs: number): QueryResult<Row> {
    const elapsedMs = startStopwatch()
    this.#checkTime = () => {
      if (elapsedMs() > timeMs) throw new OutOfTime()
      return 1
    }
    try {
      return this.run<Row>(query)
    } finally {
      this.#checkTime = () => 1
    }
  }

  /** The first row of a query that returns rows. */
  first<Row>({ sql, parameters }: Query): Row | undefined {
    const prepared = this.#prepare(sql)
    const cells = prepared.statement.get(...parameters.map(bind)) as unknown as Cells | undefined
    return cells === undefined ? undefined : toRow<Row>(prepared, cells)
  }

  /** A number that changes when another connection, of this process or another, has committed. */
  dataVersion(): number {
    return this.first<{ data_version: number }>(dataVersion)?.data_version ?? Number.NaN
  }

  /**
   * Copies the write-ahead log into the database file, waits for the disk, and truncates the log.
   *
   * @throws AppError (`upstream`) where that is not possible now.
   */
  copyLog(): void {
    if (this.isInTransaction) throw diskFailed(new Error('a transaction is open'))
    let result: { busy: number } | undefined
    try {
      result = this.first<{ busy: number }>(copyLog)
    } catch (error) {
      throw diskFailed(error)
    }
    if (result?.busy !== 0) throw diskFailed(new Error('another connection uses the log'))
  }

  close(): void {
    this.#statements.clear()
    if (this.isOpen) this.#database.close()
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = { statement, names: columnNames(statement) }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

const dataVersion = { sql: 'pragma data_version', parameters: [] }
const copyLog = { sql: 'pragma wal_checkpoint(truncate)', parameters: [] }

/** A plain object, as `pg` returns them. Those of `node:sqlite` have no prototype, and are slower to read. */
function toRow<Row>(prepared: Statement, cells: Cells): Row {
  // SQLite prepares a statement again by itself after another process has changed the table.
  if (cells.length !== prepared.names.length) prepared.names = columnNames(prepared.statement)
  const { names } = prepared
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = cells[index]
  return row as Row
}

function columnNames(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}

function statFile(path: string): BigIntStats {
  try {
    return statSync(path, { bigint: true })
  } catch (error) {
    throw databaseUnavailable('its file is gone', error)
  }
}

function bind(value: unknown): Parameter {
  if (typeof value === 'boolean') return value ? 1 : 0
  return value === undefined ? null : (value as Parameter)
}
