import { requireArrow, requireCollection } from '../callables/arguments.ts'
import type { FilterDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { collectionFrom, entriesOf, sizeOf } from '../values/collections.ts'
import { toBoolean } from '../values/truth.ts'
import type { Key, Value } from '../values/value.ts'

/** `filter`: the elements for which an arrow function holds, with their keys. */
export const filter: FilterDefinition = {
  name: 'filter',
  signature: signature('arrow'),
  apply(value, [arrow = null], { budget }) {
    const collection = requireCollection(value, '"filter" filter')
    const { call } = requireArrow(arrow, '"filter" filter')
    budget.allocateElements(sizeOf(collection))
    const kept: [Key, Value][] = []
    for (const [key, item] of entriesOf(collection)) {
      if (toBoolean(call([item, key]))) kept.push([key, item])
    }
    return collectionFrom(kept)
  },
}

/** `map`: what an arrow function makes of each element, under the same keys. */
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

/** `reduce`: one value of all elements, made by an arrow function of what it made before. */
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

/** `find`: the first element for which an arrow function holds, or null. */
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

/** `invoke`: what an arrow function gives for these arguments. */
export const invoke: FilterDefinition = {
  name: 'invoke',
  signature: signature('...arguments'),
  apply: (value, args) => requireArrow(value, '"invoke" filter').call(args),
}
