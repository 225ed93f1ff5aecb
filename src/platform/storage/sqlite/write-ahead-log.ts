import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs'
import { syncFolderOf } from '../files.ts'
import { diskFailed } from '../storage-error.ts'

/** Looked up at each call, so that a test can take the place of the disk. */
const sync = (file: number) =>
  new Promise<void>((resolve, reject) => {
    fdatasync(file, (error) => (error === null ? resolve() : reject(error)))
  })

/**
 * Deferred fsync of the write-ahead log of a SQLite file. SQLite would call fsync on the main thread with each commit.
 * Here a thread of Node's pool does it, for all commits that wait at that moment.
 *
 * A kernel reports a page that it could not write once, and then takes it for written. So a log whose fsync failed
 * is in doubt, and each `flush` fails, until the log has been copied into the database file.
 */
export class WriteAheadLog {
  readonly #path: string
  #file: number | undefined
  #committed = 0
  #flushed = 0
  #running: Promise<void> | undefined
  #isInDoubt = false

  /** @param path The path of the database. The log is opened with the first flush. */
  constructor(path: string) {
    this.#path = path
  }

  /** Whether an fsync has failed since the log was copied into the database file. */
  get isInDoubt(): boolean {
    return this.#isInDoubt
  }

  /** To be called after each commit. */
  noteCommit(): void {
    this.#committed += 1
  }

  /** To be called when the whole log has been copied into the database file, and that is on the disk. */
  noteCopied(): void {
    this.#isInDoubt = false
    this.#flushed = this.#committed
  }

  /**
   * Resolves once every commit noted so far is on the disk.
   *
   * @throws AppError (`upstream`) where the disk fails, and while the log is in doubt.
   */
  async flush(): Promise<void> {
    const target = this.#committed
    while (this.#flushed < target) {
      if (this.#isInDoubt) throw diskFailed(new Error('an earlier fsync failed'))
      this.#running ??= this.#sync().finally(() => {
        this.#running = undefined
      })
      await this.#running
    }
  }

  /** Closes the file, since another may take its place. The next flush opens that one. */
  close(): void {
    const file = this.#file
    if (file === undefined) return
    this.#file = undefined
    const running = this.#running ?? Promise.resolve()
    const close = () => closeSync(file)
    running.then(close, close)
  }

  /** Covers the commits that were noted before it began. */
  async #sync(): Promise<void> {
    const covered = this.#committed
    try {
      this.#file ??= this.#open()
      await sync(this.#file)
    } catch (error) {
      this.#isInDoubt = true
      throw diskFailed(error)
    }
    this.#flushed = covered
  }

  /** A new file is only there after a power failure once its folder is on the disk too. */
  #open(): number {
    // SQLite follows symbolic links and creates its log beside the file itself.
    const path = realpathSync(this.#path)
    const file = openSync(`${path}-wal`, 'r+')
    syncFolderOf(path)
    return file
  }
}
