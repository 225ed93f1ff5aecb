import type { Claim } from './claims.ts'

const sizeMin = 4
const sizeMax = 400
const firstSize = 20
/** A buffer that lasts less than `shortestMs` is too small; one that lasts more than `longestMs` holds stale contacts. */
const shortestMs = 200
const longestMs = 1_000

/**
 * The recipients of one broadcast that a process has claimed and not sent to yet. They are grouped by the owner of the
 * contact, because the transport may depend on the owner. The buffer adapts its size so that it lasts less than a second:
 * the contacts in it become stale.
 */
export class ClaimBuffer {
  readonly #byOwner = new Map<number | null, Claim[]>()
  #size = 0
  #sizeWanted = firstSize
  #filledAt = Number.NEGATIVE_INFINITY

  get size(): number {
    return this.#size
  }

  /** The owners with contacts in the buffer. */
  get owners(): (number | null)[] {
    return [...this.#byOwner.keys()]
  }

  /** All claims in the buffer. */
  get claims(): Claim[] {
    return [...this.#byOwner.values()].flat()
  }

  /** Returns how many recipients to claim now; 0 while the buffer has enough. */
  wanted(): number {
    if (this.#size > this.#sizeWanted / 3) return 0
    const lastedMs = performance.now() - this.#filledAt
    if (lastedMs < shortestMs) this.#sizeWanted = Math.min(this.#sizeWanted * 2, sizeMax)
    if (lastedMs > longestMs) this.#sizeWanted = Math.max(this.#sizeWanted / 2, sizeMin)
    return Math.ceil(this.#sizeWanted) - this.#size
  }

  /** Whether it has enough, so that no more are claimed. */
  get isFull(): boolean {
    return this.#size > this.#sizeWanted / 3
  }

  /** Adds new claims. They replace older claims of the same contacts. */
  put(claims: readonly Claim[]): void {
    this.#drop(new Set(claims.map(({ contactId }) => contactId)))
    this.#filledAt = performance.now()
    for (const claim of claims) this.#listOf(claim).push(claim)
    this.#size += claims.length
  }

  /** Puts claims back at the front. */
  putBack(claims: readonly Claim[]): void {
    for (const claim of claims) this.#listOf(claim).unshift(claim)
    this.#size += claims.length
  }

  /** Takes the next claim of an owner; undefined if there is none. */
  take(owner: number | null): Claim | undefined {
    const list = this.#byOwner.get(owner)
    const claim = list?.shift()
    if (claim !== undefined) this.#size -= 1
    if (list?.length === 0) this.#byOwner.delete(owner)
    return claim
  }

  /** Takes all claims of these owners. Default: of all owners. */
  takeAll(...owners: (number | null)[]): Claim[] {
    const taken = (owners.length === 0 ? this.owners : owners).flatMap((owner) => {
      const list = this.#byOwner.get(owner) ?? []
      this.#byOwner.delete(owner)
      return list
    })
    this.#size -= taken.length
    return taken
  }

  /** Removes these claims. */
  remove(claims: ReadonlySet<Claim>): void {
    this.#keep((claim) => !claims.has(claim))
  }

  /** Drops claims that were lost: this process had expired, and has claimed the same recipients again. */
  #drop(contactIds: ReadonlySet<number>): void {
    this.#keep(({ contactId }) => !contactIds.has(contactId))
  }

  #keep(isKept: (claim: Claim) => boolean): void {
    for (const owner of this.owners) {
      const list = this.#byOwner.get(owner) ?? []
      const kept = list.filter(isKept)
      this.#size -= list.length - kept.length
      if (kept.length === 0) this.#byOwner.delete(owner)
      else this.#byOwner.set(owner, kept)
    }
  }

  #listOf({ contact }: Claim): Claim[] {
    const owner = contact?.owner_id ?? null
    const list = this.#byOwner.get(owner) ?? []
    this.#byOwner.set(owner, list)
    return list
  }
}
