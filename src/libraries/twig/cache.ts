/** A least-recently-used cache. */
export interface Cache<T, Key = string> {
  get(key: Key): T | undefined
  set(key: Key, value: T): void
}

/** A weight for each entry, and the maximum of their sum. The newest entry always stays. */
export interface CacheWeights<T, Key = string> {
  readonly weigh: (value: T, key: Key) => number
  readonly weightMax: number
}

export function createCache<T, Key = string>(
  size: number,
  weights?: CacheWeights<T, Key>,
): Cache<T, Key> {
  const kept = new Map<Key, { readonly value: T; readonly weight: number }>()
  let weightOfAll = 0
  function drop(key: Key): void {
    weightOfAll -= kept.get(key)?.weight ?? 0
    kept.delete(key)
  }
  return {
    get(key) {
      const found = kept.get(key)
      if (found === undefined) return undefined
      if (kept.size >= size || weights !== undefined) {
        // Marks the entry as the most recently used.
        kept.delete(key)
        kept.set(key, found)
      }
      return found.value
    },
    set(key, value) {
      drop(key)
      const weight = weights?.weigh(value, key) ?? 0
      kept.set(key, { value, weight })
      weightOfAll += weight
      for (const oldest of kept.keys()) {
        const isTooHeavy = weightOfAll > (weights?.weightMax ?? 0) && kept.size > 1
        if (kept.size <= size && !isTooHeavy) break
        drop(oldest)
      }
    },
  }
}
