/** A number of bytes that many share. */
export interface ByteBudget {
  /** Whether there are so many left; they are the caller's then. */
  take(size: number): boolean
  give(size: number): void
}

export function createByteBudget(sizeMax: number): ByteBudget {
  let left = sizeMax
  return {
    take(size) {
      if (size > left) return false
      left -= size
      return true
    },
    give(size) {
      left += size
    },
  }
}
