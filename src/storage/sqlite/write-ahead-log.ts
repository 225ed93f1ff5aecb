import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { diskFailed } from '../storage-error.ts'

const flush = promisify(fdatasync)

/**
 * The write-ahead log of a SQLite file, as far as it has to reach the disk. SQLite itself would wait for the
 * disk on the thread that everything runs on; here another thread waits, and others are served meanwhile.
 * Those who wait at the same time share one wait.
 */
export class WriteAheadLog {
  readonly #path: string
  #file: number | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** Of the database at `path`; it is opened with the first wait, when there is one. */
  constructor(path: string) {
    this.#path = `${path}-wal`
  }

  /** Resolves once all that is committed by now is on the disk. Throws an AppError (`upstream`). */
  reachDisk(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    // The wait under way may have begun before the last commit.
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  close(): void {
    const file = this.#file
    this.#file = undefined
    if (file === undefined) return
    const end = () => closeSync(file)
    if (this.#running === undefined) end()
    else void this.#running.then(end, end)
  }

  #start(): Promise<void> {
    this.#next = undefined
    const run = this.#flush().finally(() => {
      if (this.#running === run) this.#running = undefined
    })
    this.#running = run
    return run
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
}
