import { AppError } from '../../../kit/app-error.ts'
import { BoundedMemory } from '../../../kit/bounded-memory.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { MaybePromise } from '../../../kit/maybe-promise.ts'
import { pause } from '../../../kit/pause.ts'
import { SingleFlight } from '../../../kit/single-flight.ts'
import { MauticError, toAppError } from '../../mautic-client/index.ts'

export interface RemoteLookupOptions<Key, Value> {
  clock: Clock
  /** Asks a Mautic for the records that it has of these. */
  ask: (
    mauticId: number,
    keys: readonly Key[],
  ) => Promise<ReadonlyMap<Key, MaybePromise<Value | undefined>>>
  /** Keys of one request, at most. */
  keysMax: number
  /** Requests to one Mautic at a time: its web server shares the processor with the broadcast that sends the messages. */
  requestsMax: number
  /** Keys that wait for a request, for each Mautic. Further ones are answered as if it were slow. Default: any number. */
  waitingMax?: number
  /** How long an answer counts: that there is no record, and a record. Default for a record: it is stored elsewhere. */
  missingMs: number
  foundMs?: number
}

const rememberedMax = 5_000
/** How long a record counts while its Mautic cannot be reached. */
const outageMs = 86_400_000

/** A key that waits for a request. */
interface Search<Key, Value> {
  key: Key
  resolve: (value: MaybePromise<Value | undefined>) => void
  reject: (error: unknown) => void
}

/**
 * Looks records of Mautics up one by one, and remembers each answer for some time; a record longer while its Mautic does not
 * answer. Concurrent callers for a key share the answer, and what is looked for while requests are running is asked for in one
 * request afterwards: a broadcast costs Mautic few requests.
 */
export class RemoteLookup<Key extends string | number, Value> {
  readonly #options: RemoteLookupOptions<Key, Value>
  readonly #flight = new SingleFlight<string, Value | undefined>()
  readonly #answers = new BoundedMemory<string, { value: Value | undefined; at: number }>({
    sizeMax: rememberedMax,
  })
  readonly #mautics = new Map<number, { waiting: Search<Key, Value>[]; running: number }>()

  constructor(options: RemoteLookupOptions<Key, Value>) {
    this.#options = options
  }

  /** Throws an AppError (`upstream`) where Mautic does not answer and no record is remembered. */
  async find(mauticId: number, key: Key): Promise<Value | undefined> {
    const { clock, missingMs, foundMs = 0 } = this.#options
    const name = `${mauticId} ${key}`
    const known = this.#answers.get(name)
    const ageMs = clock.monotonic() - (known?.at ?? Number.NEGATIVE_INFINITY)
    if (known !== undefined && ageMs < (known.value === undefined ? missingMs : foundMs))
      return known.value
    try {
      return await this.#flight.run(name, async () => {
        const value = await this.#enqueue(mauticId, key)
        if (value === undefined || foundMs > 0)
          this.#answers.set(name, { value, at: clock.monotonic() })
        return value
      })
    } catch (error) {
      const isUsable = error instanceof MauticError && known?.value !== undefined
      if (isUsable && ageMs < outageMs) return known.value
      if (!(error instanceof AppError)) throw toAppError(error)
      // A Mautic whose secret cannot be decrypted answers nothing either.
      throw new AppError('upstream', error.code, error.message, { cause: error })
    }
  }

  #enqueue(mauticId: number, key: Key): Promise<Value | undefined> {
    const { waitingMax = Number.POSITIVE_INFINITY } = this.#options
    const mautic = this.#mautics.get(mauticId) ?? { waiting: [], running: 0 }
    this.#mautics.set(mauticId, mautic)
    const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>()
    if (mautic.waiting.length >= waitingMax) reject(tooManyWait())
    else mautic.waiting.push({ key, resolve, reject })
    // What one answer leads to is looked for in the same turn of the event loop.
    if (mautic.waiting.length === 1) void pause().then(() => this.#askNext(mauticId))
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

function tooManyWait(): MauticError {
  const detail = 'Too many messages wait for Mautic.'
  return new MauticError('timeout', { detail, hint: 'Send them more slowly.' })
}
