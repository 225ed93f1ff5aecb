import { setTimeout } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { databaseUnavailable } from '../storage-error.ts'
import { SqliteConnection } from './connection.ts'
import { isBrokenConnection, isBusy, translateError } from './errors.ts'
import { createMutex } from './mutex.ts'

const busyTimeoutMs = 10_000
const fileCheckIntervalMs = 1_000
const writerTimeoutMs = 30_000

/**
 * One writer and one reader on the same file, as WAL allows: transactions and changes queue for the
 * writer, single reads go to the reader and see what is committed. `node:sqlite` blocks the thread for
 * as long as a statement runs; waiting for another process's lock does not.
 */
export class SqliteDriver implements Driver {
  readonly #path: string
  readonly #writerTurn = createMutex(writerTimeoutMs, () =>
    databaseUnavailable('too many changes are waiting', undefined),
  )
  #writer: SqliteConnection | undefined
  #reader: SqliteConnection | undefined
  #readerCheckedAtMs = 0
  #snapshotOf: SqliteConnection | undefined

  constructor(path: string) {
    this.#path = path
  }

  async init(): Promise<void> {
    try {
      this.#writer = await retryWhileBusy(() => new SqliteConnection(this.#path, true))
    } catch (error) {
      throw translateError(error)
    }
  }

  async acquireConnection(): Promise<Session> {
    return new Session(this)
  }

  async beginTransaction(session: Session): Promise<void> {
    await session.begin()
  }

  async commitTransaction(session: Session): Promise<void> {
    session.commit()
    this.endSnapshot()
  }

  async rollbackTransaction(session: Session): Promise<void> {
    session.rollback()
  }

  async releaseConnection(session: Session): Promise<void> {
    session.end()
  }

  async destroy(): Promise<void> {
    this.#snapshotOf = undefined
    this.#reader?.close()
    this.#writer?.close()
  }

  /** See `Database.changeStamp`: the reader sees the writer's commits as another connection's. */
  changeStamp(): number | undefined {
    try {
      return this.#snapshot().dataVersion()
    } catch {
      return undefined
    }
  }

  /** See `Database.readAtOnce`: what went wrong is for the read that waits to find out, and to mend. */
  readAtOnce<Row>(query: CompiledQuery): { row: Row | undefined } | undefined {
    try {
      return { row: this.#snapshot().first<Row>(query) }
    } catch {
      return undefined
    }
  }

  /**
   * The reader, inside a read transaction that ends with this turn of the event loop: to lock the file and to
   * unlock it costs more than a look-up, and a turn may be many requests. What arrives after a commit, of
   * whatever process, arrives in a later turn, and sees it.
   */
  #snapshot(): SqliteConnection {
    const reader = this.reader()
    if (this.#snapshotOf !== reader) {
      reader.beginRead()
      this.#snapshotOf = reader
      setImmediate(this.endSnapshot)
    }
    return reader
  }

  /** Lets the next read see what is committed; called after each commit of our own. */
  readonly endSnapshot = (): void => {
    const reader = this.#snapshotOf
    this.#snapshotOf = undefined
    try {
      reader?.endRead()
    } catch {
      this.reopen()
    }
  }

  /** Throws, and drops the connections, where the file is not the one that was opened. */
  checkFile(): void {
    this.#readerCheckedAtMs = Number.NEGATIVE_INFINITY
    this.reader()
  }

  reader(): SqliteConnection {
    const now = performance.now()
    if (this.#reader !== undefined && now - this.#readerCheckedAtMs < fileCheckIntervalMs) {
      return this.#reader
    }
    this.#reader = this.#stillThere(this.#reader)
    this.#readerCheckedAtMs = now
    return this.#reader
  }

  writer(): SqliteConnection {
    this.#writer = this.#stillThere(this.#writer)
    return this.#writer
  }

  /** See `Database.reachDisk`. */
  async reachDisk(): Promise<void> {
    await this.#writer?.reachDisk()
  }

  takeWriterTurn(): Promise<() => void> {
    return this.#writerTurn.take()
  }

  /** Drops both connections after a fault of the file, so that the next query opens it anew. */
  reopen(): void {
    for (const connection of [this.#reader, this.#writer]) {
      try {
        connection?.close()
      } catch {
        // A connection to a lost file may fail to close as well; it is dropped either way.
      }
    }
    this.#reader = undefined
    this.#writer = undefined
    this.#snapshotOf = undefined
  }

  #stillThere(connection: SqliteConnection | undefined): SqliteConnection {
    if (connection === undefined) return new SqliteConnection(this.#path, false)
    try {
      connection.checkFile()
      return connection
    } catch (error) {
      this.reopen()
      throw error
    }
  }
}

/** What Kysely calls a connection: the right to run queries, inside one transaction or outside any. */
class Session implements DatabaseConnection {
  readonly #driver: SqliteDriver
  #endTurn: (() => void) | undefined
  #transaction: SqliteConnection | undefined
  #isBroken = false

  constructor(driver: SqliteDriver) {
    this.#driver = driver
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      if (this.#transaction !== undefined) return this.#transaction.run<Row>(query)
      if (isRead(query.sql))
        return await retryWhileBusy(() => this.#driver.reader().run<Row>(query))
      const result = await this.#write<Row>(query)
      await this.#driver.reachDisk()
      return result
    } catch (error) {
      throw this.#translate(error)
    }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Lists are read page by page; this driver streams nothing.')
  }

  async begin(): Promise<void> {
    this.#endTurn = await this.#driver.takeWriterTurn()
    try {
      this.#transaction = await retryWhileBusy(() => {
        const writer = this.#driver.writer()
        writer.exec('begin immediate')
        return writer
      })
    } catch (error) {
      throw this.#translate(error)
    }
  }

  commit(): void {
    try {
      this.#transaction?.exec('commit')
    } catch (error) {
      throw this.#translate(error)
    }
  }

  rollback(): void {
    try {
      if (this.#transaction?.isInTransaction) this.#transaction.exec('rollback')
    } catch {
      // The cause of the rollback is what the caller should see; closing rolls back as well.
      this.#isBroken = true
    }
  }

  end(): void {
    this.#transaction = undefined
    if (this.#isBroken) this.#driver.reopen()
    this.#endTurn?.()
    this.#endTurn = undefined
  }

  async #write<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const endTurn = await this.#driver.takeWriterTurn()
    try {
      return await retryWhileBusy(() => this.#driver.writer().run<Row>(query))
    } finally {
      this.#driver.endSnapshot()
      endTurn()
    }
  }

  #translate(error: unknown): unknown {
    this.#isBroken ||= isBrokenConnection(error)
    return translateError(error)
  }
}

/** Tries until no other process holds the lock, without holding up this one. */
async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await setTimeout(2 + Math.random() * 10)
  }
}

function isRead(sql: string): boolean {
  return /^\s*(select|pragma)\b/i.test(sql)
}
