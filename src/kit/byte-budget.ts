/**
 * The memory for what is being received and read: bodies of requests, messages, webhooks. Each owner has a share of it: as much
 * as is left for the others, so that none uses everything. One owner alone gets half, two get a third each.
 */
export class ByteBudget {
  /** How many bytes all owners have together. */
  readonly sizeMax: number
  readonly #acquired = new Map<string, number>()
  readonly #whole: { budget: ByteBudget; owner: string } | undefined
  #left: number

  /**
   * @param sizeMax See `ByteBudget.sizeMax`.
   * @param whole The budget that this one is a part of, and the owner that its bytes count for there.
   */
  constructor(sizeMax: number, whole?: { budget: ByteBudget; owner: string }) {
    this.sizeMax = sizeMax
    this.#left = sizeMax
    this.#whole = whole
  }

  /** Acquires bytes for an owner, which are released with `release`. Returns false, and acquires none, above its share. */
  tryAcquire(size: number, owner: string): boolean {
    const total = (this.#acquired.get(owner) ?? 0) + size
    if (total > this.#left - size) return false
    if (this.#whole?.budget.tryAcquire(size, this.#whole.owner) === false) return false
    this.#left -= size
    this.#acquired.set(owner, total)
    return true
  }

  release(size: number, owner: string): void {
    const total = (this.#acquired.get(owner) ?? 0) - size
    this.#left += size
    if (total <= 0) this.#acquired.delete(owner)
    else this.#acquired.set(owner, total)
    this.#whole?.budget.release(size, this.#whole.owner)
  }

  /** Opens a reservation, which has no bytes yet. */
  reserve(owner: string): ByteReservation {
    return new ByteReservation(this, owner)
  }
}

/** The bytes that one body or message has acquired so far. */
export class ByteReservation {
  readonly #budget: ByteBudget
  readonly #owner: string
  #size = 0
  #isReleased = false

  constructor(budget: ByteBudget, owner: string) {
    this.#budget = budget
    this.#owner = owner
  }

  /** How many bytes it has. */
  get size(): number {
    return this.#size
  }

  /** Acquires more bytes. Returns false, and acquires none, above the share of the owner, and once it is released. */
  tryGrow(size: number): boolean {
    if (this.#isReleased || !this.#budget.tryAcquire(size, this.#owner)) return false
    this.#size += size
    return true
  }

  /** Releases all its bytes, for good. A second call has no effect. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#budget.release(this.#size, this.#owner)
    this.#size = 0
  }
}
