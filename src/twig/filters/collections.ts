import { requireArrow, requireCollection } from '../callables/arguments.ts'
import type { FilterDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { phpFault, runtimeFault } from '../errors/faults.ts'
import { toFloat, toInt } from '../php/casts.ts'
import { compare } from '../php/comparison.ts'
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
import { toKey } from '../values/keys.ts'
import type { Meter } from '../values/meter.ts'
import { toBoolean } from '../values/truth.ts'
import { typeName } from '../values/type-name.ts'
import type { Value } from '../values/value.ts'

/** `sort`: in PHP's order, or in that of an arrow function. Keys stay with their elements. */
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

/** `merge`: one collection after the other. Named elements replace those before, numbered ones follow. */
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

/** `batch`: pieces of so many elements, the last one filled up. */
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

/** `column`: what each element holds under a name. */
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

/** `keys`: the keys of a collection. */
export const keys: FilterDefinition = {
  name: 'keys',
  signature: signature(''),
  apply(value, _args, { budget }) {
    if (!isCollection(value)) return []
    budget.allocateElements(sizeOf(value))
    return keysOf(value)
  },
}
