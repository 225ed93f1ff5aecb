import { type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely'
import { WorkQueue } from '../../../kit/work-queue.ts'
import type { ListReader } from '../database.ts'
import { listTimeMs } from '../storage-error.ts'
import { inTimeFunction, naturalFunction, OutOfTime } from './connection.ts'
import { translateError } from './errors.ts'
import { ReadThread } from './read-thread.ts'
import { retryWhileBusy, type SqliteFile } from './sqlite-file.ts'

const threadsMax = 2
/** How long a statement may block this thread, in milliseconds. */
const blockMaxMs = 10

/**
 * Reads lists of a SQLite file. A statement begins on the thread of the program, where most are done in less than a millisecond. One that
 * is not done in ten is stopped, and runs again on a thread of its own.
 */
export class SqliteListReader implements ListReader {
  readonly isInTime: RawBuilder<boolean> = sql<boolean>`${sql.raw(inTimeFunction)}()`
  readonly #path: string
  readonly #file: SqliteFile
  readonly #timeMs: number
  readonly #queue = new WorkQueue({ runningMax: 1, totalMax: threadsMax })
  readonly #threads = new Set<ReadThread>()
  readonly #idle: ReadThread[] = []

  /** @param timeMs How long a statement may take on its thread. */
  constructor(path: string, file: SqliteFile, timeMs: number = listTimeMs) {
    this.#path = path
    this.#file = file
    this.#timeMs = timeMs
  }

  async read<Row>(
    owner: string,
    query: CompiledQuery,
    isAccepted: boolean,
  ): Promise<QueryResult<Row>> {
    await this.#queue.turn(owner)
    try {
      const result = await retryWhileBusy(() => this.#readHere<Row>(query))
      return result ?? (await this.#queue.run(owner, () => this.#readThere<Row>(query), isAccepted))
    } catch (error) {
      throw translateError(error)
    }
  }

  contains(text: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
    // Up to eighty times as fast as LIKE.
    return sql`instr(${text}, ${part}) > 0`
  }

  natural(text: RawBuilder<unknown>): RawBuilder<string> {
    return sql`${sql.raw(naturalFunction)}(${text})`
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.close()))
  }

  /** Undefined if it takes too long for this thread. */
  #readHere<Row>(query: CompiledQuery): QueryResult<Row> | undefined {
    try {
      return this.#file.reader().runWithin<Row>(query, blockMaxMs)
    } catch (error) {
      if (error instanceof OutOfTime) return undefined
      throw error
    }
  }

  async #readThere<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const thread = this.#idle.pop() ?? this.#openThread()
    try {
      const rows = await thread.read<Row>(query, this.#timeMs)
      return { rows }
    } finally {
      if (thread.isOpen) this.#idle.push(thread)
    }
  }

  #openThread(): ReadThread {
    const thread = new ReadThread(this.#path, () => this.#threads.delete(thread))
    this.#threads.add(thread)
    return thread
  }
}
