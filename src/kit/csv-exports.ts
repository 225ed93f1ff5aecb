import { Readable } from 'node:stream'
import { AppError } from './app-error.ts'
import { type Caller, callerKey } from './caller.ts'
import { type CsvValue, formatCsvLine } from './csv.ts'
import { pause } from './pause.ts'

/** How many exports a caller can run at a time: each keeps a connection and reads the database all the time. */
export const exportsMax = 3

/** One export of a list. */
export interface CsvExport<Item> {
  caller: Caller
  pages: AsyncIterator<readonly Item[]>
  valuesOf: (item: Item) => readonly CsvValue[]
  /** Whether only the head of the answer is asked for. */
  isHead: boolean
}

/** The exports of a list as CSV. */
export class CsvExports {
  readonly #columns: readonly string[]
  /** The exports that are not finished, by caller. */
  readonly #counts = new Map<string, number>()

  constructor(columns: readonly string[]) {
    this.#columns = columns
  }

  /**
   * Opens an export, whose first page is read at once, so that its errors are answered.
   *
   * @throws AppError (`rate_limited`)
   */
  async open<Item>({ caller, isHead, ...list }: CsvExport<Item>): Promise<Readable> {
    const release = isHead ? () => undefined : this.#acquire(callerKey(caller))
    const first = await list.pages.next().catch((error: unknown) => {
      release()
      throw error
    })
    const lines = isHead ? [] : this.#writeLines(list, first)
    return Readable.from(lines, { objectMode: false }).once('close', release)
  }

  #acquire(key: string): () => void {
    const count = this.#counts.get(key) ?? 0
    const message = `You have ${exportsMax} exports that are not finished, which is the limit. Wait for one of them.`
    if (count >= exportsMax)
      throw new AppError('rate_limited', 'too_many_exports', message, { retryAfterSeconds: 5 })
    this.#counts.set(key, count + 1)
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1
      if (left === 0) this.#counts.delete(key)
      else this.#counts.set(key, left)
    }
  }

  /** Reads the next page when the client has taken the one before; ends when the client disconnects. */
  async *#writeLines<Item>(
    { pages, valuesOf }: Pick<CsvExport<Item>, 'pages' | 'valuesOf'>,
    first: IteratorResult<readonly Item[]>,
  ): AsyncGenerator<string> {
    yield formatCsvLine(this.#columns)
    for (let page = first; page.done !== true; page = await pages.next()) {
      const lines = page.value.map((item) => formatCsvLine(valuesOf(item)))
      if (lines.length > 0) yield lines.join('')
      // A client that reads fast would get all pages in one turn of the event loop.
      await pause()
    }
  }
}
