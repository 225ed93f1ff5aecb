import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { databaseUnavailable } from '../storage-error.ts'
import type { SqliteConnection } from './connection.ts'
import { isBrokenConnection, translateError } from './errors.ts'
import { retryWhileBusy, type SqliteFile } from './sqlite-file.ts'

/**
 * Kysely's driver for a SQLite file. Transactions and changes queue for the writer; other queries go to the reader.
 * `node:sqlite` blocks the thread while a statement runs; a wait for the writer, or for another process, does not.
 */
export class SqliteDriver implements Driver {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  async init(): Promise<void> {
    try {
      await this.#file.open()
    } catch (error) {
      throw translateError(error)
    }
  }

  async acquireConnection(): Promise<Session> {
    return new Session(this.#file)
  }

  async beginTransaction(session: Session): Promise<void> {
    await session.begin()
  }

  async commitTransaction(session: Session): Promise<void> {
    session.commit()
  }

  async rollbackTransaction(session: Session): Promise<void> {
    session.rollback()
  }

  async releaseConnection(session: Session): Promise<void> {
    session.end()
  }

  async destroy(): Promise<void> {
    await this.#file.close()
  }
}

/** What Kysely calls a connection: it runs queries inside one transaction, or outside any. */
class Session implements DatabaseConnection {
  readonly #file: SqliteFile
  #transaction: SqliteConnection | undefined
  #releaseWriter: (() => void) | undefined
  #isBroken = false

  constructor(file: SqliteFile) {
    this.#file = file
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      if (this.#transaction !== undefined) return this.#transaction.run<Row>(query)
      if (isRead(query)) return await retryWhileBusy(() => this.#file.reader().run<Row>(query))
      return await this.#change<Row>(query)
    } catch (error) {
      throw this.#translate(error)
    }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Lists are read page by page; this driver streams nothing.')
  }

  async begin(): Promise<void> {
    this.#releaseWriter = await this.#file.acquireWriter()
    try {
      this.#transaction = await retryWhileBusy(() => {
        const writer = this.#file.writer()
        writer.exec('begin immediate')
        return writer
      })
    } catch (error) {
      throw this.#translate(error)
    }
  }

  commit(): void {
    try {
      this.#file.endSnapshot()
      this.#transaction?.exec('commit')
      this.#file.noteCommit()
    } catch (error) {
      throw this.#translate(error)
    }
  }

  rollback(): void {
    try {
      if (this.#transaction?.isInTransaction) this.#transaction.exec('rollback')
    } catch {
      // The caller gets the cause of the rollback; closing rolls back as well.
      this.#isBroken = true
    }
  }

  end(): void {
    this.#transaction = undefined
    if (this.#isBroken) this.#file.reopen()
    this.#releaseWriter?.()
    this.#releaseWriter = undefined
  }

  /** Runs a change outside of any transaction; it is on the disk when this resolves. */
  async #change<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#file.runChange(() =>
      retryWhileBusy(() => this.#file.writer().run<Row>(query)),
    )
    await this.#file.flush()
    return result
  }

  #translate(error: unknown): unknown {
    // The connection was closed during this transaction because its file was lost.
    if (this.#transaction?.isOpen === false) return databaseUnavailable('its file is gone', error)
    this.#isBroken ||= isBrokenConnection(error)
    return translateError(error)
  }
}

function isRead({ sql }: CompiledQuery): boolean {
  return /^\s*(select|pragma)\b/i.test(sql)
}
