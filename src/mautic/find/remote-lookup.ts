import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Clock } from '../../kit/clock.ts'

/** Options of `RemoteLookup`. */
export interface RemoteLookupOptions<Key, Value> {
  clock: Clock
  /** Asks a Mautic for the records that it has of these. */
  ask: (mauticId: number, keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>
  /** Keys of one request, at most. */
  keysMax: number
  /** Requests to one Mautic at a time: its web server shares the processor with the broadcast that sends the messages. */
  requestsMax: number
  /** How long it is remembered that a record does not exist. */
  missingMs: number
}

const rememberedMax = 10_000

/** A key that is looked for, and the callers who share the answer. */
interface Search<Key, Value> {
  key: Key
  result: Promise<Value | undefined>
  resolve: (value: Value | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Looks records of Mautics up one by one. Concurrent callers for a key share the answer, and what is looked for while requests are
 * running is asked for in one request afterwards: a broadcast costs Mautic few requests.
 */
export class RemoteLookup<Key extends string | number, Value> {
  readonly #options: RemoteLookupOptions<Key, Value>
  readonly #searches = new Map<string, Search<Key, Value>>()
  /** Records that do not exist. */
  readonly #missing: BoundedMemory<string, true>
  readonly #mautics = new Map<number, { waiting: Search<Key, Value>[]; running: number }>()

  constructor(options: RemoteLookupOptions<Key, Value>) {
    const { clock, missingMs: keepMs } = options
    this.#options = options
    this.#missing = new BoundedMemory({ sizeMax: rememberedMax, expiry: { keepMs, clock } })
  }

  /** How many keys are being looked for. */
  get size(): number {
    return this.#searches.size
  }

  async find(mauticId: number, key: Key): Promise<Value | undefined> {
    const name = `${mauticId} ${key}`
    if (this.#missing.get(name)) return undefined
    const running = this.#searches.get(name)
    if (running !== undefined) return running.result
    const { promise: result, resolve, reject } = Promise.withResolvers<Value | undefined>()
    const search = { key, result, resolve, reject }
    this.#searches.set(name, search)
    try {
      this.#enqueue(mauticId, search)
      const value = await result
      if (value === undefined) this.#missing.set(name, true)
      return value
    } finally {
      this.#searches.delete(name)
    }
  }

  #enqueue(mauticId: number, search: Search<Key, Value>): void {
    const mautic = this.#mautics.get(mauticId) ?? { waiting: [], running: 0 }
    this.#mautics.set(mauticId, mautic)
    mautic.waiting.push(search)
    // What one answer leads to is looked for in the same turn of the event loop.
    if (mautic.waiting.length === 1) setImmediate(() => this.#askNext(mauticId))
  }

  #askNext(mauticId: number): void {
    const { keysMax, requestsMax } = this.#options
    const mautic = this.#mautics.get(mauticId)
    while (mautic !== undefined && mautic.running < requestsMax && mautic.waiting.length > 0) {
      mautic.running += 1
      void this.#ask(mauticId, mautic.waiting.splice(0, keysMax)).finally(() => {
        mautic.running -= 1
        this.#askNext(mauticId)
      })
    }
  }

  async #ask(mauticId: number, searches: readonly Search<Key, Value>[]): Promise<void> {
    try {
      const keys = searches.map(({ key }) => key)
      const values = await this.#options.ask(mauticId, keys)
      for (const { key, resolve } of searches) resolve(values.get(key))
    } catch (error) {
      for (const { reject } of searches) reject(error)
    }
  }
}
