/** A connection as it is counted. */
export interface Guest {
  /** What it is counted under, besides all; see `networkOf`. */
  readonly network: string
  /** Closes it at once, to make room for another. Called at most once, and only before it is authenticated. */
  evict(): void
}

/** How many connections there may be. */
export interface GuestLimits {
  readonly connectionsMax: number
  /** How many of them may be unauthenticated. Default: a quarter, at least 10. */
  readonly unauthenticatedMax?: number | undefined
  /** For each network, authenticated or not. */
  readonly connectionsPerAddressMax: number
}

const unauthenticatedMin = 10

/**
 * Counts the connections: in all, for each network, and those that are unauthenticated. Where the unauthenticated
 * ones have used up their share, the oldest of the network that has most of them is evicted for a new one: a client
 * logs in within moments, so this closes idle connections and lets the others in.
 */
export class GuestList {
  readonly #limits
  readonly #guests = new Set<Guest>()
  readonly #countByNetwork = new Map<string, number>()
  /** The unauthenticated ones by network, the oldest first. */
  readonly #unauthenticated = new Map<string, Set<Guest>>()
  #unauthenticatedCount = 0

  constructor(limits: GuestLimits) {
    const { connectionsMax, unauthenticatedMax } = limits
    const quarter = Math.max(Math.floor(connectionsMax / 4), unauthenticatedMin)
    this.#limits = { ...limits, unauthenticatedMax: unauthenticatedMax ?? quarter }
  }

  get size(): number {
    return this.#guests.size
  }

  /** Lets a connection in, perhaps instead of another; returns false where there are too many. */
  enter(guest: Guest, { isAuthenticated }: { isAuthenticated: boolean }): boolean {
    const { connectionsMax, unauthenticatedMax, connectionsPerAddressMax } = this.#limits
    const { network } = guest
    const own = this.#countByNetwork.get(network) ?? 0
    if (own >= connectionsPerAddressMax) return false
    const isShareFull = !isAuthenticated && this.#unauthenticatedCount >= unauthenticatedMax
    const isFull = isShareFull || this.size >= connectionsMax
    if (isFull && !this.#evictOne()) return false
    this.#guests.add(guest)
    // Not `own`: the evicted one may have been of the same network.
    this.#countByNetwork.set(network, (this.#countByNetwork.get(network) ?? 0) + 1)
    if (!isAuthenticated) this.#addUnauthenticated(guest)
    return true
  }

  /** Moves a connection out of the unauthenticated share. */
  authenticate(guest: Guest): void {
    const { network } = guest
    const own = this.#unauthenticated.get(network)
    if (own?.delete(guest) !== true) return
    this.#unauthenticatedCount -= 1
    if (own.size === 0) this.#unauthenticated.delete(network)
  }

  /** Does nothing for a connection that was evicted. */
  leave(guest: Guest): void {
    if (!this.#guests.delete(guest)) return
    this.authenticate(guest)
    const { network } = guest
    const left = (this.#countByNetwork.get(network) ?? 1) - 1
    if (left === 0) this.#countByNetwork.delete(network)
    else this.#countByNetwork.set(network, left)
  }

  #addUnauthenticated(guest: Guest): void {
    const own = this.#unauthenticated.get(guest.network)
    if (own === undefined) this.#unauthenticated.set(guest.network, new Set([guest]))
    else own.add(guest)
    this.#unauthenticatedCount += 1
  }

  /** Returns false where every connection is authenticated. */
  #evictOne(): boolean {
    let most: ReadonlySet<Guest> = new Set()
    for (const own of this.#unauthenticated.values()) if (own.size > most.size) most = own
    const [oldest] = most
    if (oldest === undefined) return false
    this.leave(oldest)
    oldest.evict()
    return true
  }
}
