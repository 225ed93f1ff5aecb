import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs'
import { promisify } from 'node:util'
import { diskFailed } from '../storage-error.ts'
import { syncFolderOf } from '../sync-folder.ts'

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
 *
 * A system tells once of a page that it could not write, and takes it for written from then on: after a power
 * cut the log would end there, whatever came behind it. So a log whose flush failed is doubtful until it has
 * been emptied into the database file.
 */
export class WriteAheadLog {
  readonly #path: string
  #file: number | undefined
  #committed = 0
  #flushed = 0
  #running: Flush | undefined
  #next: Promise<void> | undefined
  #isDoubtful = false
  #isLetGo = false

  /** Of the database at `path`; it is opened with the first wait, when there is one. */
  constructor(path: string) {
    this.#path = path
  }

  /** Whether a flush has failed since the log was emptied. */
  get isDoubtful(): boolean {
    return this.#isDoubtful
  }

  /** To be called after each commit. */
  noteCommit(): void {
    this.#committed += 1
  }

  /** To be called when all that it holds is in the database file, and on the disk with that. */
  noteEmptied(): void {
    this.#isDoubtful = false
    this.#flushed = this.#committed
  }

  /**
   * Resolves once every commit that was noted by now is on the disk. Throws an AppError (`upstream`), always so while
   * the log is doubtful.
   */
  async reachDisk(): Promise<void> {
    if (this.#isDoubtful) throw diskFailed(new Error('an earlier flush failed'))
    if (this.#flushed >= this.#committed) return
    const running = this.#running
    if (running === undefined) await this.#start()
    else if (running.covers >= this.#committed) await running.done
    else await this.#startAfter(running)
  }

  /** Closes the file: another may come in its place. The next flush opens it anew. */
  letGo(): void {
    if (this.#running === undefined) this.#close()
    else this.#isLetGo = true
  }

  #start(): Promise<void> {
    const covers = this.#committed
    const done = this.#flush()
      .then(() => {
        this.#flushed = covers
      })
      .finally(() => {
        this.#running = undefined
        if (this.#isLetGo) this.#close()
      })
    this.#running = { covers, done }
    return done
  }

  #startAfter({ done }: Flush): Promise<void> {
    this.#next ??= this.#follow(done)
    return this.#next
  }

  /** What fails the one before fails this one too. Whoever hears of the end of that one finds this one under way. */
  async #follow(done: Promise<void>): Promise<void> {
    try {
      await done
    } finally {
      this.#next = undefined
    }
    await this.#start()
  }

  async #flush(): Promise<void> {
    try {
      this.#file ??= this.#open()
      await flush(this.#file)
    } catch (error) {
      this.#isDoubtful = true
      throw diskFailed(error)
    }
  }

  /** A file that is new is only there after a power cut once its folder has reached the disk too. */
  #open(): number {
    // SQLite follows a link too, and lays its log beside the file itself.
    const path = realpathSync(this.#path)
    const file = openSync(`${path}-wal`, 'r+')
    syncFolderOf(path)
    return file
  }

  #close(): void {
    this.#isLetGo = false
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) closeSync(file)
  }
}
