import {
  type Collection,
  type Key,
  type List,
  type Mapping,
  TwigObject,
  type Value,
} from './value.ts'

/** Returns true for a sequence. */
export function isList(value: Value | undefined): value is List {
  return Array.isArray(value)
}

/** Returns true for a mapping that is not a sequence. */
export function isMapping(value: Value | undefined): value is Mapping {
  return value instanceof Map
}

/** Returns true for a sequence or mapping. */
export function isCollection(value: Value | undefined): value is Collection {
  return Array.isArray(value) || value instanceof Map
}

export function isObject(value: Value | undefined): value is TwigObject {
  return value instanceof TwigObject
}

export function sizeOf(collection: Collection): number {
  return isList(collection) ? collection.length : collection.size
}

/** Returns the values in order. A sequence is returned as is: do not change it. */
export function valuesOf(collection: Collection): List {
  return isList(collection) ? collection : [...collection.values()]
}

export function keysOf(collection: Collection): Key[] {
  return isList(collection) ? Array.from(collection.keys()) : [...collection.keys()]
}

/** Returns the keys and values in order. */
export function entriesOf(collection: Collection): Iterable<[Key, Value]> {
  return collection.entries()
}

/** Finds the value of a key in PHP's form (see `toKey`). */
export function findByKey(collection: Collection, key: Key): Value | undefined {
  if (!isList(collection)) return collection.get(key)
  return typeof key === 'number' ? collection[key] : undefined
}

/**
 * Builds a collection like a PHP array: a later value replaces an earlier one, and a value without
 * a key gets the next free number. `build` returns a sequence when the keys are 0, 1, 2, ….
 */
export class CollectionBuilder {
  private list: Value[] | undefined = []
  private map: Map<Key, Value> | undefined
  private nextIndex = 0

  get size(): number {
    return this.list?.length ?? this.map?.size ?? 0
  }

  set(key: Key, value: Value): void {
    if (this.list !== undefined) {
      if (key === this.list.length) {
        this.append(value)
        return
      }
      if (typeof key === 'number' && key >= 0 && key < this.list.length) {
        this.list[key] = value
        return
      }
    }
    this.asMap().set(key, value)
    if (typeof key === 'number' && key >= this.nextIndex) this.nextIndex = key + 1
  }

  append(value: Value): void {
    if (this.list === undefined) this.asMap().set(this.nextIndex, value)
    else this.list.push(value)
    this.nextIndex++
  }

  /** Adds an element with its key. A numbered one is appended, unless numbers are kept. */
  add(key: Key, value: Value, keepsNumbers = false): void {
    if (typeof key === 'number' && !keepsNumbers) this.append(value)
    else this.set(key, value)
  }

  /** Adds a collection: numbered elements are appended, named elements replace earlier ones. */
  merge(collection: Collection): void {
    for (const [key, value] of collection.entries()) this.add(key, value)
  }

  build(): Collection {
    return this.list ?? canonical(this.asMap())
  }

  private asMap(): Map<Key, Value> {
    if (this.map === undefined) {
      this.map = new Map(this.list?.entries())
      this.list = undefined
    }
    return this.map
  }
}

/** Returns a sequence when the keys are 0, 1, 2, … in order, else the mapping itself. */
export function canonical(map: Mapping): Collection {
  let index = 0
  for (const key of map.keys()) {
    if (key !== index) return map
    index++
  }
  return [...map.values()]
}

/** Creates a collection from entries whose keys are in PHP's form. */
export function collectionFrom(entries: Iterable<readonly [Key, Value]>): Collection {
  return canonical(new Map(entries))
}
