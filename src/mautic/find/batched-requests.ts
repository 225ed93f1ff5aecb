/** Finds one record of a Mautic by its key. */
export type FindOne<Key, Value> = (mauticId: number, key: Key) => Promise<Value | undefined>

/** Options of `createBatched`. */
export interface BatchedOptions<Key, Value> {
  /** Asks a Mautic for the records that it has of these. */
  ask: (mauticId: number, keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>
  /** Keys of one request, at most. */
  keysMax: number
}

/** Requests to one Mautic at a time. Its web server shares the processor with the broadcast that sends the messages. */
const runningMax = 2

/**
 * Creates a function that finds records one by one. What is looked for while requests are running is asked for in one
 * request afterwards, so that a broadcast costs Mautic few requests.
 */
export function createBatched<Key, Value>(
  options: BatchedOptions<Key, Value>,
): FindOne<Key, Value> {
  const mautics = new Map<number, Batches<Key, Value>>()
  return (mauticId, key) => {
    const batches = mautics.get(mauticId) ?? new Batches(mauticId, options)
    mautics.set(mauticId, batches)
    return batches.find(key)
  }
}

interface Waiting<Key, Value> {
  key: Key
  resolve: (value: Value | undefined) => void
  reject: (error: unknown) => void
}

/** The requests to one Mautic. */
class Batches<Key, Value> {
  readonly #mauticId: number
  readonly #options: BatchedOptions<Key, Value>
  readonly #waiting: Waiting<Key, Value>[] = []
  #running = 0

  constructor(mauticId: number, options: BatchedOptions<Key, Value>) {
    this.#mauticId = mauticId
    this.#options = options
  }

  find(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      // What one answer leads to is looked for in the same turn of the event loop.
      if (this.#waiting.length === 1) setImmediate(() => this.#askNext())
    })
  }

  #askNext(): void {
    while (this.#running < runningMax && this.#waiting.length > 0) {
      this.#running += 1
      void this.#ask(this.#waiting.splice(0, this.#options.keysMax)).finally(() => {
        this.#running -= 1
        this.#askNext()
      })
    }
  }

  async #ask(asked: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const keys = [...new Set(asked.map(({ key }) => key))]
      const found = await this.#options.ask(this.#mauticId, keys)
      for (const { key, resolve } of asked) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
}
