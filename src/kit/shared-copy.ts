import { type Clock, systemClock } from './clock.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { Periodic, type PeriodicOptions } from './periodic.ts'

export interface SharedCopyOptions<Value> extends Pick<PeriodicOptions<void>, 'log' | 'events'> {
  /** Reads it; `before` is what was read last. */
  read: (before: Value) => Promise<Value>
  empty: Value
  /** Calls a function after each change that any process makes, until what it returns is called. Default: `reload` reads a change. */
  listen?: (onChanged: () => void) => () => void
  /** How often it is read. Default: while it is used, by `renew` and `fresh`. */
  intervalMs?: number
  clock?: Clock
}

/**
 * A copy in memory of what all processes share in the database. It is read at its start, after each change, and at an interval or
 * while it is used: a notification may be lost.
 */
export class SharedCopy<Value> {
  value: Value
  readonly #options: SharedCopyOptions<Value>
  readonly #clock: Clock
  readonly #reading: Periodic
  #reads = 0
  /** The number of the read that `value` is from, and when it began. */
  #lastRead = 0
  #readAt = Number.NEGATIVE_INFINITY
  /** When the last read began, also one that failed. */
  #triedAt = Number.NEGATIVE_INFINITY
  /** How many changes there were, and how many of them before that read. */
  #changes = 0
  #readChanges = 0
  #unlisten: (() => void) | undefined

  constructor(options: SharedCopyOptions<Value>) {
    const { empty, intervalMs = Number.NaN, log, events, clock = systemClock } = options
    this.value = empty
    this.#options = options
    this.#clock = clock
    this.#reading = new Periodic({ task: () => this.#readChanged(), intervalMs, log, events })
  }

  async start(): Promise<void> {
    // First, so that no change is missed while it is read.
    this.listen()
    await this.read()
    if (this.#options.intervalMs !== undefined) this.#reading.start()
  }

  /** Reads each change from now on, without `start`. */
  listen(): void {
    this.#unlisten = this.#options.listen?.(() => {
      this.#changes += 1
      this.#reading.trigger()
    })
  }

  /** Reads it now. Of several reads at the same time, the one that began last counts. */
  async read(): Promise<void> {
    this.#reads += 1
    const number = this.#reads
    const changes = this.#changes
    const readAt = this.#clock.monotonic()
    this.#triedAt = readAt
    const value = await this.#options.read(this.value)
    if (number < this.#lastRead) return
    this.#lastRead = number
    this.#readChanges = changes
    this.#readAt = readAt
    this.value = value
  }

  /** Reads it again after a change; callers at the same time share a read that began after theirs. */
  reload(): Promise<void> {
    return this.#reading.runFromStart()
  }

  /** Returns it as it is now, or was within this time. */
  fresh(ageMsMax: number): MaybePromise<Value> {
    const isKnown =
      this.#changes === this.#readChanges && this.#clock.monotonic() - this.#readAt <= ageMsMax
    return isKnown ? this.value : this.reload().then(() => this.value)
  }

  /** Returns it as it was read last. Where that was tried longer ago, it is read again in the background. */
  renew(ageMsMax: number): Value {
    if (this.#clock.monotonic() - this.#triedAt > ageMsMax) this.#reading.trigger()
    return this.value
  }

  idle(): Promise<boolean> {
    return this.#reading.idle()
  }

  async stop(): Promise<void> {
    this.#unlisten?.()
    await this.#reading.stop()
  }

  async #readChanged(): Promise<void> {
    do await this.read()
    while (this.#changes !== this.#readChanges)
  }
}
