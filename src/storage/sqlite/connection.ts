import { type BigIntStats, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { databaseUnavailable, diskFailed } from '../storage-error.ts'
import { createFile } from './create-file.ts'

/** How many prepared statements one connection keeps. */
const statementsMax = 500

interface Statement {
  statement: StatementSync
  /** Of the columns that it returns; empty where it returns no rows. */
  names: readonly string[]
}

type Parameter = string | number | bigint | null | Uint8Array

/** One open connection to a SQLite file, with its prepared statements. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #path: string
  readonly #file: BigIntStats
  readonly #statements = new Map<string, Statement>()

  /** Opens the file; creates it, and its folder, only where `canCreate`. */
  constructor(path: string, canCreate: boolean) {
    if (canCreate) createFile(path)
    else statFile(path)
    this.#database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true })
    this.#path = path
    try {
      setUp(this.#database)
      this.#file = statFile(path)
    } catch (error) {
      // It is tried again every few milliseconds, and would hold its files until it is garbage that is collected.
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
   * Throws where the file that this connection writes to is no longer the one at its path: SQLite would
   * go on writing to a deleted file, and what it acknowledges would be lost.
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

  run<Row>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<Row> {
    const prepared = this.#prepare(sql)
    const values = parameters.map(bind)
    if (prepared.names.length > 0) return { rows: readRows<Row>(prepared, values) }
    const { changes } = prepared.statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  /**
   * Copies the write-ahead log into the file, waits for the disk, and begins the log anew. Throws an AppError
   * (`upstream`) where that cannot be now.
   */
  emptyLog(): void {
    if (this.isInTransaction) throw diskFailed(new Error('a transaction is open'))
    const { statement } = this.#prepare('pragma wal_checkpoint(truncate)')
    let isBusy: unknown
    try {
      ;[isBusy] = statement.get() as unknown as unknown[]
    } catch (error) {
      throw diskFailed(error)
    }
    if (isBusy !== 0) throw diskFailed(new Error('somebody uses the log'))
  }

  /** The first row of a query that returns rows. */
  first<Row>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Row | undefined {
    const prepared = this.#prepare(sql)
    const cells = prepared.statement.get(...parameters.map(bind)) as unknown as
      | unknown[]
      | undefined
    return cells === undefined ? undefined : toRow<Row>(prepared, cells)
  }

  /** Reads see one state of the database from the first of them until `endRead`. */
  beginRead(): void {
    this.exec('begin')
  }

  endRead(): void {
    this.exec('commit')
  }

  /** Grows when another connection, of this process or another, has committed; not by our own commits. */
  dataVersion(): number {
    const [version] = this.#prepare('pragma data_version').statement.get() as unknown as [number]
    return version
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
    if (this.#statements.size >= statementsMax) this.#forgetOldest()
    this.#statements.set(sql, prepared)
    return prepared
  }

  #forgetOldest(): void {
    for (const sql of this.#statements.keys()) {
      this.#statements.delete(sql)
      return
    }
  }
}

/**
 * Rows as plain objects, put together here: those of `node:sqlite` have no shape that V8 could share, and
 * take half as long again, both to make and to read.
 */
function readRows<Row>(prepared: Statement, values: Parameter[]): Row[] {
  const rows = prepared.statement.all(...values) as unknown as unknown[][]
  return rows.map((cells) => toRow<Row>(prepared, cells))
}

function toRow<Row>(prepared: Statement, cells: readonly unknown[]): Row {
  // SQLite prepares anew, by itself, what another process has changed the table of.
  if (cells.length !== prepared.names.length) prepared.names = columnNames(prepared.statement)
  const { names } = prepared
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = cells[index]
  return row as Row
}

function columnNames(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}

function setUp(database: DatabaseSync): void {
  // What `full` adds to `normal`, a wait for the disk with each commit, is done on another thread: see WriteAheadLog.
  database.exec('pragma journal_mode = wal; pragma synchronous = normal')
  database.exec('pragma cache_size = -16000; pragma temp_store = memory')
  // Each copy of the log back into the file holds up the thread; a longer log makes them rare, and longer.
  database.exec('pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 4000')
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
