import { Worker } from 'node:worker_threads'
import type { CompiledQuery } from 'kysely'
import { databaseUnavailable, listTooSlow } from '../storage-error.ts'
import { OutOfTime } from './connection.ts'

/** A statement for the thread. */
export interface ReadRequest {
  sql: string
  parameters: readonly unknown[]
  timeMs: number
}

/** What the thread answers: rows, or why there are none. */
export type ReadAnswer =
  | { rows: unknown[] }
  | { isOutOfTime: true }
  | { message: string; errcode: number | undefined }

const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './read-worker.ts' : './read-worker.js',
  import.meta.url,
)

/** A thread with a connection to a SQLite file, which runs one read at a time. It does not keep the process alive. */
export class ReadThread {
  readonly #worker: Worker
  #isOpen = true
  #answer: ((answer: ReadAnswer) => void) | undefined

  /** @param onClosed Called when the thread has ended, also after an error. */
  constructor(path: string, onClosed: () => void) {
    this.#worker = new Worker(workerFile, { workerData: path, execArgv: [] })
    this.#worker.unref()
    this.#worker.on('message', (answer: ReadAnswer) => this.#answer?.(answer))
    const end = (message: string) => {
      this.#isOpen = false
      this.#answer?.({ message, errcode: undefined })
      onClosed()
    }
    this.#worker.on('error', (error) => end(error.message))
    this.#worker.on('exit', () => end('its thread has ended'))
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Runs a read. Throws an error of `node:sqlite`, or an AppError. */
  async read<Row>(
    { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
    timeMs: number,
  ): Promise<Row[]> {
    const request: ReadRequest = { sql, parameters, timeMs }
    // The caller waits for the answer, so the process must not end before it.
    this.#worker.ref()
    const answer = await new Promise<ReadAnswer>((resolve) => {
      this.#answer = resolve
      this.#worker.postMessage(request)
    })
    this.#answer = undefined
    this.#worker.unref()
    if ('rows' in answer) return answer.rows as Row[]
    if ('isOutOfTime' in answer) throw listTooSlow(new OutOfTime())
    const { message, errcode } = answer
    if (errcode === undefined) throw databaseUnavailable('a thread failed', new Error(message))
    throw Object.assign(new Error(message), { errcode })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
