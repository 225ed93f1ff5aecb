import fs, { fstatSync, readFileSync, statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout } from 'node:timers/promises'

/**
 * The disk under the write-ahead log of a SQLite database in this process. It keeps what was synced before a power
 * failure, and of the rest what chance decides, page by page. SQLite must not copy the log into the database meanwhile:
 * it does so once the log has 16 MB.
 */
export interface LossyDisk {
  /** Returns the log as a power failure at this moment leaves it. */
  logAfterPowerFailure(): Buffer
  /** Makes the next sync fail with this code. */
  failNextSync(code: string): void
  close(): void
}

export interface LossyDiskOptions {
  /** How long a sync takes at most. Default: 4 ms. A slow one shows what does not wait for it. */
  syncMs?: number
  /** Called when a sync begins, and when it has ended but has not been answered yet. */
  onSync?: (step: 'begun' | 'ended') => void
}

const pageBytes = 4_096
const disks = new Set<Disk>()
const realSync = fs.fdatasync

/** @param databasePath The file of the database; its log is what was synced before. */
export function openLossyDisk(databasePath: string, options: LossyDiskOptions = {}): LossyDisk {
  const disk = new Disk(`${databasePath}-wal`, options)
  disks.add(disk)
  replaceSync(syncOnDisk)
  return {
    logAfterPowerFailure: () => disk.afterPowerFailure(),
    failNextSync: (code) => {
      disk.failure = code
    },
    close() {
      disks.delete(disk)
      if (disks.size === 0) replaceSync(realSync)
    },
  }
}

class Disk {
  readonly #path: string
  readonly #options: LossyDiskOptions
  #synced: Buffer
  failure: string | undefined

  constructor(path: string, options: LossyDiskOptions) {
    this.#path = path
    this.#options = options
    this.#synced = this.#read()
  }

  isOf(file: number): boolean {
    const own = statSync(this.#path, { throwIfNoEntry: false })
    const { ino, dev } = fstatSync(file)
    return own?.ino === ino && own.dev === dev
  }

  async sync(): Promise<void> {
    // Later writes may or may not be on the disk after it.
    const written = this.#read()
    const { syncMs = 4, onSync } = this.#options
    onSync?.('begun')
    await setTimeout((syncMs * (1 + Math.random())) / 2)
    const { failure } = this
    this.failure = undefined
    if (failure !== undefined) throw Object.assign(new Error(failure), { code: failure })
    this.#synced = written
    onSync?.('ended')
  }

  afterPowerFailure(): Buffer {
    const log = this.#read()
    for (let start = 0; start < log.length; start += pageBytes) {
      if (Math.random() < 0.5) continue
      const page = log.subarray(start, start + pageBytes)
      page.fill(0)
      this.#synced.subarray(start, start + page.length).copy(page)
    }
    return log
  }

  #read(): Buffer {
    const isThere = statSync(this.#path, { throwIfNoEntry: false }) !== undefined
    return isThere ? readFileSync(this.#path) : Buffer.alloc(0)
  }
}

function syncOnDisk(file: number, done: fs.NoParamCallback): void {
  const disk = [...disks].find((each) => each.isOf(file))
  if (disk === undefined) realSync(file, done)
  else disk.sync().then(() => done(null), done)
}

function replaceSync(sync: (file: number, done: fs.NoParamCallback) => void): void {
  fs.fdatasync = sync as typeof fs.fdatasync
  syncBuiltinESMExports()
}
