import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Clock } from '../../kit/clock.ts'
import { SingleFlight } from '../../kit/single-flight.ts'

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

/** A key that waits for a request. */
interface Search<Key, Value> {
  key: Key
  resolve: (value: Value | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Looks records of Mautics up one by one. Concurrent callers for a key share the answer, and what is looked for while requests are
 * running is asked for in one request afterwards: a broadcast costs Mautic few requests.
 */
export class RemoteLookup<Key extends string | number, Value> {
  readonly #options: RemoteLookupOptions<Key, Value>
  readonly #flight = new SingleFlight<string, Value | undefined>()
  /** Records that do not exist. */
  readonly #missing: BoundedMemory<string, true>
  readonly #mautics = new Map<number, { waiting: Search<Key, Value>[]; running: number }>()
  #size = 0

  constructor(options: RemoteLookupOptions<Key, Value>) {
    const { clock, missingMs: keepMs } = options
    this.#options = options
    this.#missing = new BoundedMemory({ sizeMax: rememberedMax, expiry: { keepMs, clock } })
  }

  /** How many keys are being looked for. */
  get size(): number {
    return this.#size
  }

  async find(mauticId: number, key: Key): Promise<Value | undefined> {
    const name = `${mauticId} ${key}`
    if (this.#missing.get(name)) return undefined
    return this.#flight.run(name, async () => {
      this.#size += 1
      try {
        const value = await this.#enqueue(mauticId, key)
        if (value === undefined) this.#missing.set(name, true)
        return value
      } finally {
        this.#size -= 1
      }
    })
  }

  #enqueue(mauticId: number, key: Key): Promise<Value | undefined> {
    const mautic = this.#mautics.get(mauticId) ?? { waiting: [], running: 0 }
    this.#mautics.set(mauticId, mautic)
    const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>()
    mautic.waiting.push({ key, resolve, reject })
    // What one answer leads to is looked for in the same turn of the event loop.
    if (mautic.waiting.length === 1) setImmediate(() => this.#askNext(mauticId))
    return promise
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
