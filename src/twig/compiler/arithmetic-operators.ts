import { arithmetic, bitwise, floorDivide } from '../php/arithmetic.ts'
import {
  CollectionBuilder,
  entriesOf,
  findByKey,
  isCollection,
  sizeOf,
} from '../values/collections.ts'
import type { Meter } from '../values/meter.ts'
import type { Collection } from '../values/value.ts'
import type { Operation } from './operation.ts'

export const arithmeticOperators: readonly [operator: string, operation: Operation][] = [
  [
    '+',
    (a, b, { budget }) =>
      isCollection(a) && isCollection(b) ? union([a, b], budget) : arithmetic('+', a, b),
  ],
  ['-', (a, b) => arithmetic('-', a, b)],
  ['*', (a, b) => arithmetic('*', a, b)],
  ['/', (a, b) => arithmetic('/', a, b)],
  ['//', floorDivide],
  ['%', (a, b) => arithmetic('%', a, b)],
  ['**', (a, b) => arithmetic('**', a, b)],
  ['b-and', (a, b) => bitwise('b-and', a, b)],
  ['b-or', (a, b) => bitwise('b-or', a, b)],
  ['b-xor', (a, b) => bitwise('b-xor', a, b)],
]

/** PHP's sum of two arrays: the first, and of the second what is under other keys. */
function union([a, b]: readonly [Collection, Collection], meter: Meter): Collection {
  meter.allocateElements(sizeOf(a) + sizeOf(b))
  const builder = new CollectionBuilder()
  for (const [key, value] of entriesOf(a)) builder.set(key, value)
  for (const [key, value] of entriesOf(b)) {
    if (findByKey(a, key) === undefined) builder.set(key, value)
  }
  return builder.build()
}
