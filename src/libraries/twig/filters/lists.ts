import {
  define,
  type FilterDefinition,
  requireArrow,
  requireCollection,
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
import type { Key, Value } from '../values/value.ts'

export const listFilters = define<FilterDefinition>({
  'sort(arrow = null)': {
    description: "Sorts in PHP's order, or by an arrow function. Keys are kept.",
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
  },
  'merge(...arrays)': {
    description:
      'Merges collections. Named elements replace earlier ones, numbered elements are appended.',
    apply(value, args, { budget }) {
      const builder = new CollectionBuilder()
      for (const [index, collection] of [value, ...args].entries()) {
        if (!isCollection(collection)) {
          throw runtimeFault(
            `The "merge" filter expects a sequence or a mapping, got "${typeName(collection)}" for argument ${index + 1}.`,
          )
        }
        budget.allocateElements(sizeOf(collection))
        builder.merge(collection)
      }
      return builder.build()
    },
  },
  'batch(size, fill = null, preserve_keys = true)': {
    description: 'Splits a collection into batches of a size, and fills up the last one.',
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
  },
  'column(name, index = null)': {
    description: 'Picks one attribute of each element.',
    apply(value, [name = null, index = null], { budget }) {
      const collection = requireCollection(value, '"column" filter')
      budget.allocateElements(sizeOf(collection))
      const builder = new CollectionBuilder()
      for (const [, row] of entriesOf(collection)) {
        const cell = name === null ? row : findAttribute(row, name, 'any', budget)
        if (cell === undefined) continue
        const key = index === null ? undefined : findAttribute(row, index, 'any', budget)
        if (key === undefined) builder.append(cell)
        else builder.set(toKey(key), cell)
      }
      return builder.build()
    },
  },
  keys: {
    description: 'The keys of a collection.',
    apply(value, _args, { budget }) {
      if (!isCollection(value)) return []
      budget.allocateElements(sizeOf(value))
      return keysOf(value)
    },
  },
  'filter(arrow)': {
    description: 'Keeps the elements for which an arrow function returns true, with their keys.',
    apply(value, [arrow = null], { budget }) {
      if (!isCollection(value)) {
        throw runtimeFault(
          `The "filter" filter expects a sequence/mapping or "Traversable", got "${typeName(value)}".`,
        )
      }
      const call = arrow === null ? undefined : requireArrow(arrow, '"filter" filter').call
      budget.allocateElements(sizeOf(value))
      const kept: [Key, Value][] = []
      for (const [key, item] of entriesOf(value)) {
        if (toBoolean(call === undefined ? item : call([item, key]))) kept.push([key, item])
      }
      return collectionFrom(kept)
    },
  },
  'map(arrow)': {
    description: 'Applies an arrow function to each element and keeps the keys.',
    apply(value, [arrow = null], { budget }) {
      const collection = requireCollection(value, '"map" filter')
      const { call } = requireArrow(arrow, '"map" filter')
      budget.allocateElements(sizeOf(collection))
      const mapped: [Key, Value][] = []
      for (const [key, item] of entriesOf(collection)) mapped.push([key, call([item, key])])
      return collectionFrom(mapped)
    },
  },
  'reduce(arrow, initial = null)': {
    description: 'Combines all elements to one value with an arrow function.',
    apply(value, [arrow = null, initial = null]) {
      const collection = requireCollection(value, '"reduce" filter')
      const { call } = requireArrow(arrow, '"reduce" filter')
      let carry = initial
      for (const [key, item] of entriesOf(collection)) carry = call([carry, item, key])
      return carry
    },
  },
  'find(arrow)': {
    description: 'The first element for which an arrow function returns true, or null.',
    apply(value, [arrow = null]) {
      const collection = requireCollection(value, '"find" filter')
      const { call } = requireArrow(arrow, '"find" filter')
      for (const [key, item] of entriesOf(collection)) {
        if (toBoolean(call([item, key]))) return item
      }
      return null
    },
  },
  'invoke(...arguments)': {
    description: 'Calls an arrow function.',
    apply: (value, args) => requireArrow(value, '"invoke" filter').call(args),
  },
})

function sortOrder(arrow: Value, { budget }: Render): (a: Value, b: Value) => number {
  if (arrow === null) {
    return (a, b) => {
      const order = compare(a, b, budget)
      return Number.isNaN(order) ? 1 : order
    }
  }
  const { call } = requireArrow(arrow, '"sort" filter')
  return (a, b) => {
    const order = call([a, b])
    // As in PHP, the function may return whether `a` comes after `b`.
    return order === false ? 0 - toInt(call([b, a])) : toInt(order)
  }
}
