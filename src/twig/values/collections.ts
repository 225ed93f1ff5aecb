import {
  type Collection,
  type Key,
  type List,
  type Mapping,
  TwigObject,
  type Value,
} from './value.ts'

/** True for a sequence. */
export function isList(value: Value | undefined): value is List {
  return Array.isArray(value)
}

/** True for a mapping that is not a sequence. */
export function isMapping(value: Value | undefined): value is Mapping {
  return value instanceof Map
}

/** True for what `for` can walk over. */
export function isCollection(value: Value | undefined): value is Collection {
  return Array.isArray(value) || value instanceof Map
}

export function isObject(value: Value | undefined): value is TwigObject {
  return value instanceof TwigObject
}

export function sizeOf(collection: Collection): number {
  return isList(collection) ? collection.length : collection.size
}

/** The values in order, without their keys. A sequence is returned as it is: never change it. */
export function valuesOf(collection: Collection): List {
  return isList(collection) ? collection : [...collection.values()]
}

export function keysOf(collection: Collection): Key[] {
  return isList(collection) ? Array.from(collection.keys()) : [...collection.keys()]
}

/** Keys and values in order. */
export function entriesOf(collection: Collection): Iterable<[Key, Value]> {
  return collection.entries()
}

/** The value under a key that has PHP's form (see `toKey`), or undefined. */
export function findByKey(collection: Collection, key: Key): Value | undefined {
  if (!isList(collection)) return collection.get(key)
  return typeof key === 'number' ? collection[key] : undefined
}

/**
 * Gathers keys and values in PHP's manner: a later value takes the place of an earlier one, a value
 * without a key gets the next free number. `build` gives a sequence where the keys are 0, 1, 2, ….
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

/** The one form of a mapping: a sequence where its keys are 0, 1, 2, … in order, else itself. */
function canonical(map: Mapping): Collection {
  let index = 0
  for (const key of map.keys()) {
    if (key !== index) return map
    index++
  }
  return [...map.values()]
}

/** A mapping from entries whose keys have PHP's form already. */
export function collectionFrom(entries: Iterable<readonly [Key, Value]>): Collection {
  return canonical(new Map(entries))
}
