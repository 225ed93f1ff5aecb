import { setTimeout } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { RunAtOnce } from '../database.ts'
import { databaseUnavailable } from '../storage-error.ts'
import { createTurns } from '../turns.ts'
import { SqliteConnection } from './connection.ts'
import { isBrokenConnection, isBusy, translateError } from './errors.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

const busyTimeoutMs = 10_000
const fileCheckIntervalMs = 1_000
/** More than a connection counts: the next one begins to count anew. */
const changesOfReopening = 2 ** 32

/**
 * One writer and one reader on the same file, as WAL allows: transactions and changes queue for the
 * writer, queries go to the reader and see what is committed. Look-ups go to the writer while no
 * transaction is open on it: it has in memory what it wrote itself, which the reader has to read from
 * the file after each commit. `node:sqlite` blocks the thread for as long as a statement runs; waiting
 * for another process's lock does not.
 */
export class SqliteDriver implements Driver {
  readonly #path: string
  readonly #log: WriteAheadLog
  readonly #writerTurn = createTurns({ count: 1 })
  #writer: SqliteConnection | undefined
  #reader: SqliteConnection | undefined
  #readerCheckedAtMs = 0
  #writerCheckedAtMs = 0
  /** What `data_version` does not tell of: commits of our own, and another file in the place of this one. */
  #ownChanges = 0
  #snapshotOf: SqliteConnection | undefined
  /** Of the snapshot, once asked for: reading it takes a third of a look-up. */
  #snapshotStamp: number | undefined
  #isDestroyed = false

  constructor(path: string) {
    this.#path = path
    this.#log = new WriteAheadLog(path)
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
    this.noteChange()
  }

  async rollbackTransaction(session: Session): Promise<void> {
    session.rollback()
  }

  async releaseConnection(session: Session): Promise<void> {
    session.end()
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true
    this.#snapshotOf = undefined
    this.#reader?.close()
    this.#writer?.close()
    this.#log.letGo()
  }

  /** See `Database.changeStamp`. */
  changeStamp(): number | undefined {
    try {
      const writer = this.#lookUpWriter()
      // Whoever has a transaction open keeps all others from committing.
      if (this.#isWriting(writer)) return this.#ownChanges + writer.dataVersion()
      this.#beginSnapshot(writer)
      this.#snapshotStamp ??= this.#ownChanges + writer.dataVersion()
      return this.#snapshotStamp
    } catch {
      return undefined
    }
  }

  /** See `Database.readAtOnce`: what went wrong is for the read that waits to find out, and to mend. */
  readAtOnce<Row>(query: CompiledQuery): { row: Row | undefined } | undefined {
    try {
      const writer = this.#lookUpWriter()
      const connection = this.#isWriting(writer) ? this.reader() : writer
      this.#beginSnapshot(connection)
      return { row: connection.first<Row>(query) }
    } catch {
      return undefined
    }
  }

  /** See `Database.writeAtOnce`: what went wrong is for the transaction that waits to find out, and to mend. */
  writeAtOnce<Result>(work: (run: RunAtOnce) => Result): { result: Result } | undefined {
    const endTurn = this.#writerTurn.takeAtOnce()
    if (endTurn === undefined) return undefined
    try {
      const writer = this.writer()
      writer.exec('begin immediate')
      const result = work((query) => writer.run(query).rows)
      writer.exec('commit')
      this.noteChange()
      return { result }
    } catch {
      this.#rollBack()
      return undefined
    } finally {
      endTurn()
    }
  }

  #rollBack(): void {
    try {
      if (this.#writer?.isInTransaction) this.#writer.exec('rollback')
    } catch {
      // Closing rolls back as well.
      this.reopen()
    }
  }

  #isWriting(writer: SqliteConnection): boolean {
    return writer.isInTransaction && this.#snapshotOf !== writer
  }

  /**
   * A read transaction that ends with this turn of the event loop: to lock the file and to unlock it costs
   * more than a look-up, and a turn may be many requests. What arrives after a commit, of whatever process,
   * arrives in a later turn, and sees it.
   */
  #beginSnapshot(connection: SqliteConnection): void {
    if (this.#snapshotOf === connection) return
    this.endSnapshot()
    connection.beginRead()
    this.#snapshotStamp = undefined
    this.#snapshotOf = connection
    setImmediate(this.endSnapshot)
  }

  /** Lets the next look-up see what is committed. */
  readonly endSnapshot = (): void => {
    const connection = this.#snapshotOf
    this.#snapshotOf = undefined
    try {
      connection?.endRead()
    } catch {
      this.reopen()
    }
  }

  /** Called after each commit of our own. */
  noteChange(): void {
    this.#ownChanges += 1
    this.#log.noteCommit()
    this.endSnapshot()
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

  /** For a change, or for a transaction that is about to begin. */
  writer(): SqliteConnection {
    // Not the reader's either: what others have committed since, the change stamp tells of.
    this.endSnapshot()
    this.#writer = this.#stillThere(this.#writer)
    this.#writerCheckedAtMs = performance.now()
    return this.#writer
  }

  #lookUpWriter(): SqliteConnection {
    const isChecked = performance.now() - this.#writerCheckedAtMs < fileCheckIntervalMs
    return isChecked && this.#writer !== undefined ? this.#writer : this.writer()
  }

  /** See `Database.reachDisk`. */
  async reachDisk(): Promise<void> {
    if (this.#log.isDoubtful) await this.#mendLog()
    await this.#log.reachDisk()
  }

  /** In a turn of its own: while others write one after the other, there is always a transaction open. */
  async #mendLog(): Promise<void> {
    const endTurn = await this.takeWriterTurn()
    try {
      if (!this.#log.isDoubtful) return
      this.writer().emptyLog()
      this.#log.noteEmptied()
    } finally {
      endTurn()
    }
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
    this.#log.letGo()
    this.#reader = undefined
    this.#writer = undefined
    this.#snapshotOf = undefined
    this.#ownChanges += changesOfReopening
  }

  #stillThere(connection: SqliteConnection | undefined): SqliteConnection {
    if (this.#isDestroyed) throw databaseUnavailable('it is closed', undefined)
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
      this.#driver.noteChange()
      endTurn()
    }
  }

  #translate(error: unknown): unknown {
    // Whoever found that the file is gone closed the connection in the midst of this transaction.
    if (this.#transaction?.isOpen === false) return databaseUnavailable('its file is gone', error)
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
