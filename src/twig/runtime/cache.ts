/** Things kept by key; where there are too many, the one not used for longest goes. */
export interface Cache<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
}

export function createCache<T>(size: number): Cache<T> {
  const kept = new Map<string, T>()
  return {
    get(key) {
      const value = kept.get(key)
      if (value !== undefined && kept.size >= size) {
        // To the end of the order in which they go.
        kept.delete(key)
        kept.set(key, value)
      }
      return value
    },
    set(key, value) {
      kept.delete(key)
      kept.set(key, value)
      for (const oldest of kept.keys()) {
        if (kept.size <= size) break
        kept.delete(oldest)
      }
    },
  }
}
