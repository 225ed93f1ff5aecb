import type { CompiledQuery } from 'kysely'
import { startStopwatch } from '../../../kit/clock.ts'
import { pause } from '../../../kit/pause.ts'
import { Semaphore } from '../../../kit/semaphore.ts'
import { Alarm, sleep } from '../../../kit/timers.ts'
import { changeQueue, databaseUnavailable } from '../storage-error.ts'
import { SqliteConnection } from './connection.ts'
import { isBusy } from './errors.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

const busyTimeoutMs = 10_000
const fileCheckIntervalMs = 1_000
/** A commit that no caller waits for is on the disk after this time. */
const flushDelayMs = 10
/** More commits than one connection sees. */
const commitsMax = 2 ** 32

/**
 * A SQLite file with the two connections that WAL allows to work side by side: one writer and one reader, which sees
 * what is committed. Opens the file again after it was lost.
 */
export class SqliteFile {
  readonly #path: string
  readonly #onIdleError: (error: Error) => void
  readonly #log: WriteAheadLog
  readonly #permit = new Semaphore({ permits: 1, ...changeQueue })
  #writer: SqliteConnection | undefined
  #reader: SqliteConnection | undefined
  /** How long ago the file of the reader was checked. */
  #checkAgeMs: (() => number) | undefined
  #hasSnapshot = false
  #snapshotStamp: number | undefined
  #reopened = 0
  readonly #flushTimer = new Alarm(() => void this.#flushLate())
  #isClosed = false

  /** @param onIdleError Gets an error of the disk that no caller waits for. */
  constructor(path: string, onIdleError: (error: Error) => void) {
    this.#path = path
    this.#onIdleError = onIdleError
    this.#log = new WriteAheadLog(path)
  }

  /** Opens the file; creates it where it is missing. */
  async open(): Promise<void> {
    this.#writer = await retryWhileBusy(() => new SqliteConnection(this.#path, { canCreate: true }))
  }

  /** Resolves once the caller may use the writer, with the function that lets the next one use it. */
  acquireWriter(): Promise<() => void> {
    return this.#permit.acquire()
  }

  /** Runs a change outside of any transaction. */
  runChange<T>(change: () => Promise<T>): Promise<T> {
    return this.#permit.run(async () => {
      const result = await change()
      this.noteCommit()
      return result
    })
  }

  /** The writer, for a caller that has acquired it. */
  writer(): SqliteConnection {
    // A snapshot would keep SQLite from starting its log again.
    this.endSnapshot()
    this.#writer = this.#check(this.#writer)
    return this.#writer
  }

  reader(): SqliteConnection {
    const ageMs = this.#checkAgeMs?.() ?? Number.POSITIVE_INFINITY
    if (this.#reader !== undefined && ageMs < fileCheckIntervalMs) return this.#reader
    this.#reader = this.#check(this.#reader)
    this.#checkAgeMs = startStopwatch()
    return this.#reader
  }

  /** Checks that the file is the one that was opened; else throws, and drops the connections. */
  check(): void {
    this.#checkAgeMs = undefined
    this.reader()
  }

  /** The first row of a query; undefined after an error: the asynchronous read reports it, and opens the file again. */
  readSync<Row>(query: CompiledQuery): { row: Row | undefined } | undefined {
    try {
      return { row: this.#readSnapshot().first<Row>(query) }
    } catch {
      return undefined
    }
  }

  /** See `Database.changeStamp`. */
  changeStamp(): number | undefined {
    try {
      const reader = this.#readSnapshot()
      this.#snapshotStamp ??= this.#reopened * commitsMax + reader.dataVersion()
      return this.#snapshotStamp
    } catch {
      return undefined
    }
  }

  /** A number that changes when another process has committed: this one changes the file with its writer only. */
  foreignVersion(): number | undefined {
    try {
      return this.#writer?.dataVersion()
    } catch {
      return undefined
    }
  }

  /**
   * The reader in a read transaction, which ends with this turn of the event loop: to lock and unlock the file costs
   * more than a look-up, and many requests share a turn. A request that arrives after a commit of any process arrives
   * in a later turn.
   */
  #readSnapshot(): SqliteConnection {
    const reader = this.reader()
    if (!this.#hasSnapshot) {
      reader.exec('begin')
      this.#hasSnapshot = true
      void pause().then(this.endSnapshot)
    }
    return reader
  }

  /** Lets the next look-up see what is committed. */
  readonly endSnapshot = (): void => {
    if (!this.#hasSnapshot) return
    this.#hasSnapshot = false
    this.#snapshotStamp = undefined
    try {
      this.#reader?.exec('commit')
    } catch {
      this.reopen()
    }
  }

  /** To be called after each commit of this process. */
  noteCommit(): void {
    this.#log.noteCommit()
    if (!this.#flushTimer.isSet) this.#flushTimer.set(flushDelayMs)
  }

  async #flushLate(): Promise<void> {
    this.#flushTimer.cancel()
    await this.flush().catch(this.#onIdleError)
  }

  /** See `Database.flush`. */
  async flush(): Promise<void> {
    if (this.#log.isInDoubt) await this.#permit.run(async () => this.#mendLog())
    await this.#log.flush()
  }

  #mendLog(): void {
    if (!this.#log.isInDoubt) return
    this.writer().copyLog()
    this.#log.noteCopied()
  }

  /** Drops both connections after an error of the file. The next query opens it again. */
  reopen(): void {
    this.#drop()
    this.#reopened += 1
  }

  async close(): Promise<void> {
    if (this.#flushTimer.isSet) await this.#flushLate()
    this.#isClosed = true
    this.#drop()
  }

  #drop(): void {
    for (const connection of [this.#reader, this.#writer]) {
      try {
        connection?.close()
      } catch {
        // A connection to a lost file may fail to close as well.
      }
    }
    this.#reader = undefined
    this.#writer = undefined
    this.#hasSnapshot = false
    this.#snapshotStamp = undefined
    this.#log.close()
  }

  #check(connection: SqliteConnection | undefined): SqliteConnection {
    if (this.#isClosed) throw databaseUnavailable('it is closed', undefined)
    if (connection === undefined) return new SqliteConnection(this.#path, { canCreate: false })
    try {
      connection.checkFile()
      return connection
    } catch (error) {
      this.reopen()
      throw error
    }
  }
}

/** Tries until no other process holds the lock of the file, without blocking the thread. */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const elapsedMs = startStopwatch()
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || elapsedMs() > busyTimeoutMs) throw error
    }
    await sleep(2 + Math.random() * 10)
  }
}
