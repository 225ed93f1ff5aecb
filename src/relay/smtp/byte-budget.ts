/** A number of bytes that many share. */
export interface ByteBudget {
  /**
   * Whether there are so many for this owner; they are the owner's then. An owner may have as many as are left for
   * the others, so that none of them takes all: one alone has half, two have a third each.
   */
  take(size: number, owner: string): boolean
  give(size: number, owner: string): void
}

export function createByteBudget(sizeMax: number): ByteBudget {
  const taken = new Map<string, number>()
  let left = sizeMax
  return {
    take(size, owner) {
      const own = (taken.get(owner) ?? 0) + size
      if (own > left - size) return false
      left -= size
      taken.set(owner, own)
      return true
    },
    give(size, owner) {
      const own = (taken.get(owner) ?? 0) - size
      left += size
      if (own <= 0) taken.delete(owner)
      else taken.set(owner, own)
    },
  }
}
