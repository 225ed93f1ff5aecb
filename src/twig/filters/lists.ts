import {
  type FilterDefinition,
  requireArrow,
  requireCollection,
  signature,
} from '../callables/definition.ts'
import { phpFault, runtimeFault } from '../errors.ts'
import { compare } from '../php/comparison.ts'
import { toFloat, toInt } from '../php/numbers.ts'
import { findAttribute } from '../runtime/attributes.ts'
import type { Render } from '../runtime/render.ts'
import {
  CollectionBuilder,
  collectionFrom,
  entriesOf,
  isCollection,
  keysOf,
  sizeOf,
} from '../values/collections.ts'
import { toBoolean, toKey, typeName } from '../values/conversions.ts'
import type { Key, Meter, Value } from '../values/value.ts'

/** `sort`: sorts in PHP's order, or by an arrow function. Keys are kept. */
export const sort: FilterDefinition = {
  name: 'sort',
  signature: signature('arrow = null'),
  apply(value, [arrow = null], render) {
    const collection = requireCollection(value, '"sort" filter')
    const order = sortOrder(arrow, render)
    render.budget.allocateElements(sizeOf(collection) * 2)
    const sorted = [...entriesOf(collection)].sort(([, a], [, b]) => {
      render.budget.spend(1)
      return order(a, b)
    })
    return collectionFrom(sorted)
  },
}

function sortOrder(arrow: Value, { budget }: Render): (a: Value, b: Value) => number {
  if (arrow === null) {
    return (a, b) => {
      const order = compare(a, b, budget)
      return Number.isNaN(order) ? 1 : order
    }
  }
  const { call } = requireArrow(arrow, '"sort" filter')
  return (a, b) => toInt(call([a, b]))
}

/**
 * `merge`: merges collections. Named elements replace earlier ones, numbered elements are appended.
 */
export const merge: FilterDefinition = {
  name: 'merge',
  signature: signature('...arrays'),
  apply(value, args, { budget }) {
    const builder = new CollectionBuilder()
    for (const [index, collection] of [value, ...args].entries()) {
      if (!isCollection(collection)) {
        throw runtimeFault(
          `The "merge" filter expects a sequence or a mapping, got "${typeName(collection)}" for argument ${index + 1}.`,
        )
      }
      budget.allocateElements(sizeOf(collection))
      for (const [key, item] of entriesOf(collection)) {
        if (typeof key === 'number') builder.append(item)
        else builder.set(key, item)
      }
    }
    return builder.build()
  },
}

/** `batch`: splits a collection into batches of a size and fills up the last one. */
export const batch: FilterDefinition = {
  name: 'batch',
  signature: signature('size, fill = null, preserve_keys = true'),
  apply(value, [size = 0, fill = null, preserveKeys = true], { budget }) {
    const collection = requireCollection(value, '"batch" filter')
    const length = Math.ceil(toFloat(size))
    if (!(length > 0)) {
      throw phpFault('array_chunk(): Argument #2 ($length) must be greater than 0')
    }
    budget.allocateElements(sizeOf(collection) * 2)
    const batches: CollectionBuilder[] = []
    for (const [key, item] of entriesOf(collection)) {
      let current = batches.at(-1)
      if (current === undefined || current.size >= length) {
        current = new CollectionBuilder()
        batches.push(current)
      }
      if (toBoolean(preserveKeys)) current.set(key, item)
      else current.append(item)
    }
    const last = batches.at(-1)
    if (fill !== null && last !== undefined) {
      budget.allocateElements(length - last.size)
      while (last.size < length) last.append(fill)
    }
    return batches.map((builder) => builder.build())
  },
}

/** `column`: picks one attribute of each element. */
export const column: FilterDefinition = {
  name: 'column',
  signature: signature('name, index = null'),
  apply(value, [name = null, index = null], { budget }) {
    const collection = requireCollection(value, '"column" filter')
    budget.allocateElements(sizeOf(collection))
    const builder = new CollectionBuilder()
    for (const [, row] of entriesOf(collection)) {
      const cell = name === null ? row : cellOf(row, name, budget)
      if (cell === undefined) continue
      const key = index === null ? undefined : cellOf(row, index, budget)
      if (key === undefined) builder.append(cell)
      else builder.set(toKey(key), cell)
    }
    return builder.build()
  },
}

function cellOf(row: Value, name: Value, meter: Meter): Value | undefined {
  return findAttribute(row, name, 'any', meter)
}

/** `keys`: returns the keys of a collection. */
export const keys: FilterDefinition = {
  name: 'keys',
  signature: signature(''),
  apply(value, _args, { budget }) {
    if (!isCollection(value)) return []
    budget.allocateElements(sizeOf(value))
    return keysOf(value)
  },
}

/** `filter`: keeps the elements for which an arrow function returns true, with their keys. */
export const filter: FilterDefinition = {
  name: 'filter',
  signature: signature('arrow'),
  apply(value, [arrow = null], { budget }) {
    if (!isCollection(value)) {
      throw runtimeFault(
        `The "filter" filter expects a sequence/mapping or "Traversable", got "${typeName(value)}".`,
      )
    }
    const { call } = requireArrow(arrow, '"filter" filter')
    budget.allocateElements(sizeOf(value))
    const kept: [Key, Value][] = []
    for (const [key, item] of entriesOf(value)) {
      if (toBoolean(call([item, key]))) kept.push([key, item])
    }
    return collectionFrom(kept)
  },
}

/** `map`: applies an arrow function to each element and keeps the keys. */
export const map: FilterDefinition = {
  name: 'map',
  signature: signature('arrow'),
  apply(value, [arrow = null], { budget }) {
    const collection = requireCollection(value, '"map" filter')
    const { call } = requireArrow(arrow, '"map" filter')
    budget.allocateElements(sizeOf(collection))
    const mapped: [Key, Value][] = []
    for (const [key, item] of entriesOf(collection)) mapped.push([key, call([item, key])])
    return collectionFrom(mapped)
  },
}

/** `reduce`: combines all elements to one value with an arrow function. */
export const reduce: FilterDefinition = {
  name: 'reduce',
  signature: signature('arrow, initial = null'),
  apply(value, [arrow = null, initial = null]) {
    const collection = requireCollection(value, '"reduce" filter')
    const { call } = requireArrow(arrow, '"reduce" filter')
    let carry = initial
    for (const [key, item] of entriesOf(collection)) carry = call([carry, item, key])
    return carry
  },
}

/** `find`: returns the first element for which an arrow function returns true, or null. */
export const find: FilterDefinition = {
  name: 'find',
  signature: signature('arrow'),
  apply(value, [arrow = null]) {
    const collection = requireCollection(value, '"find" filter')
    const { call } = requireArrow(arrow, '"find" filter')
    for (const [key, item] of entriesOf(collection)) {
      if (toBoolean(call([item, key]))) return item
    }
    return null
  },
}

/** `invoke`: calls an arrow function. */
export const invoke: FilterDefinition = {
  name: 'invoke',
  signature: signature('...arguments'),
  apply: (value, args) => requireArrow(value, '"invoke" filter').call(args),
}
