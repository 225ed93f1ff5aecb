import type { Clock } from '../kit/clock.ts'
import type { Limit } from './rules.ts'

export interface AppliedLimitsOptions {
  clock: Clock
  listApplied: () => Promise<Limit[]>
  onLoaded: (limits: readonly Limit[]) => void
  onError: (error: unknown) => void
}

/** They are read again after this time, while the old ones are still used. */
const refreshMs = 500
/** A change whose notification is lost applies after this time at the latest. */
const staleMs = 1_000
const none: readonly Limit[] = []

/** The published limits in memory, so that sending reads none. They are read again while it sends. */
export class AppliedLimits {
  readonly #options: AppliedLimitsOptions
  #byTransport = new Map<number, Limit[]>()
  #readAt = 0
  #reading: Promise<void> | undefined
  /** How many changes it has heard of, and of how many before the last reading. */
  #changes = 0
  #readChanges = -1

  constructor(options: AppliedLimitsOptions) {
    this.#options = options
  }

  /** Returns the limits of a transport; reads all again if they were read too long ago to be used. */
  async read(id: number): Promise<readonly Limit[]> {
    if (this.#ageMs > staleMs) await this.load()
    return this.ofTransport(id)
  }

  /** Returns the limits of a transport as they were read last. */
  ofTransport(id: number): readonly Limit[] {
    if (this.#ageMs > refreshMs && this.#reading === undefined)
      this.#refresh().catch(this.#options.onError)
    return this.#byTransport.get(id) ?? none
  }

  async load(): Promise<void> {
    // A change that a running read may have missed.
    await this.close()
    await this.#refresh()
  }

  /** Call it after a change: none that was read before is used again. */
  expire(): void {
    this.#changes += 1
  }

  async close(): Promise<void> {
    await this.#reading?.catch(() => undefined)
  }

  get #ageMs(): number {
    if (this.#changes !== this.#readChanges) return Number.POSITIVE_INFINITY
    return this.#options.clock.monotonic() - this.#readAt
  }

  #refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const startedAt = this.#options.clock.monotonic()
    const changes = this.#changes
    const limits = await this.#options.listApplied()
    this.#byTransport = new Map()
    for (const limit of limits)
      for (const id of limit.transports)
        this.#byTransport.set(id, [...(this.#byTransport.get(id) ?? []), limit])
    this.#readAt = startedAt
    this.#readChanges = changes
    this.#options.onLoaded(limits)
  }
}
