/** Counts the connections, in all and for each address. */
export interface GuestList {
  readonly size: number
  /** Lets a connection in, and gives what to call when it has gone; undefined where there are too many. */
  enter(address: string): (() => void) | undefined
}

export function createGuestList(limits: {
  readonly connectionsMax: number
  readonly connectionsPerAddressMax: number
}): GuestList {
  const byAddress = new Map<string, number>()
  let size = 0
  return {
    get size() {
      return size
    },
    enter(address) {
      const own = byAddress.get(address) ?? 0
      if (size >= limits.connectionsMax || own >= limits.connectionsPerAddressMax) return undefined
      byAddress.set(address, own + 1)
      size += 1
      return () => {
        size -= 1
        const left = (byAddress.get(address) ?? 1) - 1
        if (left === 0) byAddress.delete(address)
        else byAddress.set(address, left)
      }
    },
  }
}
