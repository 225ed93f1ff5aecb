import type { Clock } from '../clock.ts'
import { FaultError } from '../delivery/fault-error.ts'
import type { TransportLoad } from '../delivery/transport.ts'
import { createTokenBucket, type TokenBucket } from './token-bucket.ts'

interface GateOptions {
  /** How many may be inside at once. */
  readonly placesMax: number
  /** Null for no limit. One bucket for all places: the rate does not grow with them. */
  readonly maxPerSecond: number | null
  readonly clock: Clock
}

interface Waiting {
  admit(place: Place): void
  refuse(error: FaultError): void
}

/** Somebody's place inside a gate. */
export class Place {
  readonly #vacate: () => void
  readonly #depart: () => void
  #isVacant = false

  constructor(vacate: () => void, depart: () => void) {
    this.#vacate = vacate
    this.#depart = depart
  }

  /** Lets the next one in, though whoever was here is not done yet. */
  vacate(): void {
    if (this.#isVacant) return
    this.#isVacant = true
    this.#vacate()
  }

  /** Done; vacates the place too. Called once. */
  leave(): void {
    this.#depart()
    this.vacate()
  }
}

/** Lets messages through at a transport's rate, so many at once, in the order in which they came. */
export class Gate {
  readonly #placesMax: number
  readonly #bucket: TokenBucket | undefined
  readonly #waiting = new Set<Waiting>()
  #taken = 0
  #inside = 0
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  readonly #emptied: (() => void)[] = []

  constructor({ placesMax, maxPerSecond, clock }: GateOptions) {
    this.#placesMax = placesMax
    this.#bucket = maxPerSecond === null ? undefined : createTokenBucket(maxPerSecond, clock)
  }

  /** Whether somebody would come in if a place became free now. */
  get isPressed(): boolean {
    return this.#waiting.size > 0 && this.#bucket === undefined
  }

  /** Waits for a place and a turn. Throws FaultError when cancelled or closed. */
  enter(signal?: AbortSignal): Promise<Place> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closedFault())
      if (signal?.aborted) return reject(cancelledFault())
      const cancel = () => {
        if (this.#waiting.delete(entry)) reject(cancelledFault())
      }
      const entry: Waiting = {
        admit(place) {
          signal?.removeEventListener('abort', cancel)
          resolve(place)
        },
        refuse(error) {
          signal?.removeEventListener('abort', cancel)
          reject(error)
        },
      }
      signal?.addEventListener('abort', cancel, { once: true })
      this.#waiting.add(entry)
      this.#admitNext()
    })
  }

  /** Refuses everybody who waits, such as when nobody can be served. */
  refuseWaiting(error: FaultError): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const entry of waiting) entry.refuse(error)
  }

  load(): Omit<TransportLoad, 'connections'> {
    return { sending: this.#inside, waiting: this.#waiting.size }
  }

  /** Refuses whoever waits or comes, and waits for whoever is inside. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.refuseWaiting(closedFault())
    if (this.#inside === 0) return
    await new Promise<void>((resolve) => this.#emptied.push(resolve))
  }

  readonly #vacated = () => {
    this.#taken -= 1
    this.#admitNext()
  }

  readonly #departed = () => {
    this.#inside -= 1
    if (this.#inside === 0) for (const resolve of this.#emptied) resolve()
  }

  #admitNext(): void {
    for (const entry of this.#waiting) {
      if (this.#taken >= this.#placesMax || this.#timer !== undefined) return
      const waitMs = this.#bucket?.take() ?? 0
      if (waitMs > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined
          this.#admitNext()
        }, waitMs)
        return
      }
      this.#waiting.delete(entry)
      this.#taken += 1
      this.#inside += 1
      entry.admit(new Place(this.#vacated, this.#departed))
    }
  }
}

function cancelledFault(): FaultError {
  return new FaultError({
    code: 'cancelled',
    scope: 'message',
    stage: 'connect',
    message: 'The delivery was cancelled while it waited for its turn.',
  })
}

function closedFault(): FaultError {
  return new FaultError({
    code: 'transport_closed',
    stage: 'connect',
    message: 'The transport is closed.',
  })
}
