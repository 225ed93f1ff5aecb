import type { Clock } from './clock.ts'

export interface BoundedMemoryOptions<Key> {
  /** The most entries; with `sizeOf`, the largest sum of their sizes. */
  sizeMax: number
  sizeOf?: (key: Key) => number
  /** How long an entry is kept. Default: until others take its place. */
  expiry?: { keepMs: number; clock: Clock }
}

/** A map of bounded size: a new entry takes the place of the oldest ones. The newest entry always stays. */
export class BoundedMemory<Key, Value> {
  readonly #sizeMax: number
  readonly #sizeOf: (key: Key) => number
  readonly #expiry: BoundedMemoryOptions<Key>['expiry']
  readonly #entries = new Map<Key, { value: Value; until: number }>()
  #size = 0

  constructor({ sizeMax, sizeOf = () => 1, expiry }: BoundedMemoryOptions<Key>) {
    this.#sizeMax = sizeMax
    this.#sizeOf = sizeOf
    this.#expiry = expiry
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#expiry === undefined || this.#expiry.clock.monotonic() < entry.until)
      return entry.value
    this.delete(key)
    return undefined
  }

  /** Adds an entry, or replaces it: then it is the newest one. */
  set(key: Key, value: Value): void {
    this.delete(key)
    this.#size += this.#sizeOf(key)
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#sizeMax) break
      this.delete(oldest)
    }
    const { keepMs = 0, clock } = this.#expiry ?? {}
    this.#entries.set(key, { value, until: clock === undefined ? 0 : clock.monotonic() + keepMs })
  }

  delete(key: Key): void {
    if (this.#entries.delete(key)) this.#size -= this.#sizeOf(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }
}
