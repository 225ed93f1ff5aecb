/** A counted connection. */
export interface ConnectionSlot {
  /** The network whose limit applies; see `networkOf`. */
  readonly network: string
  /** Closes it immediately, because another connection needs the slot. Called at most once, and only while it is unauthenticated. */
  evict(): void
}

export interface ConnectionLimits {
  readonly connectionsMax: number
  /** The most unauthenticated connections. Default: a quarter, at least 10. */
  readonly unauthenticatedMax?: number | undefined
  /** For each network, authenticated or not. */
  readonly connectionsPerAddressMax: number
}

const unauthenticatedMin = 10

/**
 * Limits the connections: in total, for each network, and unauthenticated ones. At the limit of unauthenticated
 * connections, a new one evicts the oldest of the network that has most of them. Clients log in within moments, so this
 * closes idle connections.
 */
export class ConnectionLimiter {
  readonly #limits
  readonly #slots = new Set<ConnectionSlot>()
  readonly #countByNetwork = new Map<string, number>()
  /** The unauthenticated ones by network, the oldest first. */
  readonly #unauthenticated = new Map<string, Set<ConnectionSlot>>()
  #unauthenticatedCount = 0

  constructor(limits: ConnectionLimits) {
    const { connectionsMax, unauthenticatedMax } = limits
    const quarter = Math.max(Math.floor(connectionsMax / 4), unauthenticatedMin)
    this.#limits = { ...limits, unauthenticatedMax: unauthenticatedMax ?? quarter }
  }

  get size(): number {
    return this.#slots.size
  }

  /** Accepts a connection, possibly by evicting another; returns false if a limit is reached. */
  accept(slot: ConnectionSlot, { isAuthenticated }: { isAuthenticated: boolean }): boolean {
    const { connectionsMax, unauthenticatedMax, connectionsPerAddressMax } = this.#limits
    const { network } = slot
    const count = this.#countByNetwork.get(network) ?? 0
    if (count >= connectionsPerAddressMax) return false
    const isShareFull = !isAuthenticated && this.#unauthenticatedCount >= unauthenticatedMax
    const isFull = isShareFull || this.size >= connectionsMax
    if (isFull && !this.#evictOne()) return false
    this.#slots.add(slot)
    // Not `count`: the evicted connection may be of the same network.
    this.#countByNetwork.set(network, (this.#countByNetwork.get(network) ?? 0) + 1)
    if (!isAuthenticated) this.#addUnauthenticated(slot)
    return true
  }

  /** Moves a connection out of the unauthenticated share. */
  authenticate(slot: ConnectionSlot): void {
    const { network } = slot
    const slots = this.#unauthenticated.get(network)
    if (slots?.delete(slot) !== true) return
    this.#unauthenticatedCount -= 1
    if (slots.size === 0) this.#unauthenticated.delete(network)
  }

  /** Removes a closed connection; does nothing if it was evicted. */
  release(slot: ConnectionSlot): void {
    if (!this.#slots.delete(slot)) return
    this.authenticate(slot)
    const { network } = slot
    const left = (this.#countByNetwork.get(network) ?? 1) - 1
    if (left === 0) this.#countByNetwork.delete(network)
    else this.#countByNetwork.set(network, left)
  }

  #addUnauthenticated(slot: ConnectionSlot): void {
    const slots = this.#unauthenticated.get(slot.network)
    if (slots === undefined) this.#unauthenticated.set(slot.network, new Set([slot]))
    else slots.add(slot)
    this.#unauthenticatedCount += 1
  }

  /** Evicts a connection; returns false if all are authenticated. */
  #evictOne(): boolean {
    let most: ReadonlySet<ConnectionSlot> = new Set()
    for (const slots of this.#unauthenticated.values()) if (slots.size > most.size) most = slots
    const [oldest] = most
    if (oldest === undefined) return false
    this.release(oldest)
    oldest.evict()
    return true
  }
}
