import { type BigIntStats, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { databaseUnavailable, diskFailed } from '../storage-error.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

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
  readonly #log: WriteAheadLog
  #isLogDoubtful = false
  readonly #statements = new Map<string, Statement>()

  /** Opens the file; creates it, and its folder, only where `canCreate`. */
  constructor(path: string, canCreate: boolean) {
    if (canCreate) createFile(path)
    else statFile(path)
    this.#database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true })
    this.#path = path
    // What `full` adds to `normal`, a wait for the disk with each commit, `reachDisk` does on another thread.
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = normal')
    this.#database.exec('pragma cache_size = -16000; pragma temp_store = memory')
    this.#database.exec('pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 4000')
    this.#file = statFile(path)
    this.#log = new WriteAheadLog(path)
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

  /** To be called after each commit, and before `reachDisk`. */
  noteCommit(): void {
    this.#log.noteCommit()
  }

  /** Resolves once all that is committed by now is on the disk. Throws an AppError (`upstream`). */
  async reachDisk(): Promise<void> {
    if (this.#isLogDoubtful) this.#emptyLog()
    try {
      await this.#log.reachDisk()
    } catch (error) {
      this.#isLogDoubtful = true
      throw error
    }
  }

  /**
   * A system tells once of a page that it could not write, and takes it for written from then on: a log with such a
   * hole ends there after a power cut, whatever came behind it. What it holds goes into the database file, and is
   * on the disk with that; then the log begins anew.
   */
  #emptyLog(): void {
    const cause = 'a flush had failed, and the log could not be emptied since'
    if (this.isInTransaction) throw diskFailed(new Error(cause))
    let busy: unknown
    try {
      ;[busy] = this.#prepare(
        'pragma wal_checkpoint(truncate)',
      ).statement.get() as unknown as unknown[]
    } catch (error) {
      throw diskFailed(error)
    }
    if (busy !== 0) throw diskFailed(new Error(cause))
    this.#isLogDoubtful = false
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
    this.#log.close()
    if (this.#database.isOpen) this.#database.close()
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

/** For its owner alone, and so are the files that SQLite lays beside it: it holds hashes and addresses. */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
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
