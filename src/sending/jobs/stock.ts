import type { Claim } from './claims.ts'

const sizeMin = 4
const sizeMax = 400
const firstSize = 20
/** A stock that lasts less than this is too small, one that lasts more than that too old. */
const shortestMs = 200
const longestMs = 1_000

/**
 * The recipients of one sending that a process has claimed and not begun, by the owner of the contact,
 * since whose transport they leave through depends on him. It holds what is sent in a moment: what is
 * known of a contact ages in it.
 */
export class Stock {
  readonly #byOwner = new Map<number | null, Claim[]>()
  #size = 0
  #sizeWanted = firstSize
  #filledAt = Number.NEGATIVE_INFINITY

  get size(): number {
    return this.#size
  }

  /** The owners of whom there are contacts. */
  get owners(): (number | null)[] {
    return [...this.#byOwner.keys()]
  }

  /** How many to claim now; 0 while there are enough. */
  wanted(): number {
    if (this.#size > this.#sizeWanted / 3) return 0
    const lastedMs = performance.now() - this.#filledAt
    if (lastedMs < shortestMs) this.#sizeWanted = Math.min(this.#sizeWanted * 2, sizeMax)
    if (lastedMs > longestMs) this.#sizeWanted = Math.max(this.#sizeWanted / 2, sizeMin)
    return Math.ceil(this.#sizeWanted) - this.#size
  }

  /** Whether more cannot be claimed before some of these are gone. */
  get isFull(): boolean {
    return this.#size > this.#sizeWanted / 3
  }

  /** Takes in what was claimed just now; each contact is in it once. */
  put(claims: readonly Claim[]): void {
    this.#drop(new Set(claims.map(({ contactId }) => contactId)))
    this.#filledAt = performance.now()
    for (const claim of claims) this.#listOf(claim).push(claim)
    this.#size += claims.length
  }

  /** Puts back what was taken; it is the next to be taken. */
  putBack(claims: readonly Claim[]): void {
    for (const claim of claims) this.#listOf(claim).unshift(claim)
    this.#size += claims.length
  }

  /** The next contact of an owner; undefined where there is none. */
  take(owner: number | null): Claim | undefined {
    const list = this.#byOwner.get(owner)
    const claim = list?.shift()
    if (claim !== undefined) this.#size -= 1
    if (list?.length === 0) this.#byOwner.delete(owner)
    return claim
  }

  /** All contacts of an owner; of all, where none is given. */
  takeAll(...owners: (number | null)[]): Claim[] {
    const taken = (owners.length === 0 ? this.owners : owners).flatMap((owner) => {
      const list = this.#byOwner.get(owner) ?? []
      this.#byOwner.delete(owner)
      return list
    })
    this.#size -= taken.length
    return taken
  }

  /** Who is claimed anew was taken back meanwhile: this process was taken for dead. */
  #drop(contactIds: ReadonlySet<number>): void {
    for (const owner of this.owners) {
      const list = this.#byOwner.get(owner) ?? []
      const kept = list.filter(({ contactId }) => !contactIds.has(contactId))
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
