import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { diskFailed } from '../storage-error.ts'

const flush = promisify(fdatasync)

/** A flush that is under way. */
interface Flush {
  /** How many commits it covers: those before it began. */
  readonly covers: number
  readonly done: Promise<void>
}

/**
 * The write-ahead log of a SQLite file, as far as it has to reach the disk. SQLite itself would wait for the
 * disk on the thread that everything runs on; here another thread waits, and others are served meanwhile.
 * Those whose commits one flush covers share it.
 */
export class WriteAheadLog {
  readonly #path: string
  #file: number | undefined
  /** What was committed before this was made counts as one commit, which nobody has flushed. */
  #committed = 1
  #flushed = 0
  #running: Flush | undefined
  #next: Promise<void> | undefined
  #isClosed = false

  /** Of the database at `path`; it is opened with the first wait, when there is one. */
  constructor(path: string) {
    this.#path = `${path}-wal`
  }

  /** To be called after each commit. */
  noteCommit(): void {
    this.#committed += 1
  }

  /** Resolves once all that is committed by now is on the disk. Throws an AppError (`upstream`). */
  async reachDisk(): Promise<void> {
    if (this.#flushed >= this.#committed) return
    const running = this.#running
    if (running === undefined) await this.#start()
    else if (running.covers >= this.#committed) await running.done
    else await this.#startAfter(running)
  }

  close(): void {
    this.#isClosed = true
    if (this.#running === undefined) this.#release()
  }

  #start(): Promise<void> {
    this.#next = undefined
    const covers = this.#committed
    const done = this.#flush()
      .then(() => {
        this.#flushed = covers
      })
      .finally(() => {
        this.#running = undefined
        if (this.#isClosed) this.#release()
      })
    this.#running = { covers, done }
    return done
  }

  #startAfter({ done }: Flush): Promise<void> {
    const start = () => this.#start()
    this.#next ??= done.then(start, start)
    return this.#next
  }

  async #flush(): Promise<void> {
    try {
      this.#file ??= this.#open()
      await flush(this.#file)
    } catch (error) {
      throw diskFailed(error)
    }
  }

  /** A file that is new is only there after a power cut once its folder has reached the disk too. */
  #open(): number {
    const file = openSync(this.#path, 'r+')
    const folder = openSync(dirname(this.#path), 'r')
    fsyncSync(folder)
    closeSync(folder)
    return file
  }

  #release(): void {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) closeSync(file)
  }
}
