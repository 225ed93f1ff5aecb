import { Periodic, type PeriodicOptions } from './periodic.ts'

export interface SharedCopyOptions<Value>
  extends Pick<PeriodicOptions<void>, 'intervalMs' | 'log' | 'events'> {
  /** Reads it; `before` is what was read last. */
  read: (before: Value) => Promise<Value>
  empty: Value
  /** Has a function called after each change of any process; returns what ends that. */
  listen: (onChanged: () => void) => () => void
}

/**
 * A copy in memory of what all processes share in the database. It is read at its start, after each change, and at an interval: a
 * notification may be lost.
 */
export class SharedCopy<Value> {
  value: Value
  readonly #options: SharedCopyOptions<Value>
  readonly #reading: Periodic
  #reads = 0
  /** The number of the read that `value` is from. */
  #lastRead = 0
  /** Whether there was a change since the last read began. */
  #isStale = false
  #unlisten: (() => void) | undefined

  constructor(options: SharedCopyOptions<Value>) {
    const { empty, intervalMs, log, events } = options
    this.value = empty
    this.#options = options
    this.#reading = new Periodic({ task: () => this.#readStale(), intervalMs, log, events })
  }

  async start(): Promise<void> {
    // First, so that no change is missed while it is read.
    this.#unlisten = this.#options.listen(() => {
      this.#isStale = true
      this.#reading.trigger()
    })
    await this.read()
    this.#reading.start()
  }

  /** Reads it now. Of several reads at the same time, the one that began last counts. */
  async read(): Promise<void> {
    this.#reads += 1
    const number = this.#reads
    const value = await this.#options.read(this.value)
    if (number < this.#lastRead) return
    this.#lastRead = number
    this.value = value
  }

  idle(): Promise<boolean> {
    return this.#reading.idle()
  }

  async stop(): Promise<void> {
    this.#unlisten?.()
    await this.#reading.stop()
  }

  async #readStale(): Promise<void> {
    do {
      this.#isStale = false
      await this.read()
    } while (this.#isStale)
  }
}
