import type { Budget } from '../budget.ts'
import { requireArrow, requireCollection } from '../callables/definition.ts'
import { range } from '../functions/values.ts'
import { arithmetic, bitwise, floorDivide } from '../php/arithmetic.ts'
import { compare, isIn, looselyEqual, strictlyEqual } from '../php/comparison.ts'
import type { Render } from '../runtime/render.ts'
import {
  CollectionBuilder,
  entriesOf,
  findByKey,
  isCollection,
  sizeOf,
} from '../values/collections.ts'
import { toBoolean, toText } from '../values/conversions.ts'
import type { Collection, Value } from '../values/value.ts'

/** Applies an operator to the values of its two sides. */
export type Operation = (left: Value, right: Value, render: Render) => Value

type Operations = readonly [operator: string, operation: Operation][]

const arithmeticOperations: Operations = [
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

/** Adds two arrays like PHP: the first one, then the elements of the second whose keys are new. */
function union([a, b]: readonly [Collection, Collection], budget: Budget): Collection {
  budget.allocateElements(sizeOf(a) + sizeOf(b))
  const builder = new CollectionBuilder()
  for (const [key, value] of entriesOf(a)) builder.set(key, value)
  for (const [key, value] of entriesOf(b)) {
    if (findByKey(a, key) === undefined) builder.set(key, value)
  }
  return builder.build()
}

/** PHP's comparisons. Values without an order are neither less, nor greater, nor equal. */
const comparisonOperations: Operations = [
  ['==', (a, b, { budget }) => looselyEqual(a, b, budget)],
  ['!=', (a, b, { budget }) => !looselyEqual(a, b, budget)],
  ['===', (a, b, { budget }) => strictlyEqual(a, b, budget)],
  ['!==', (a, b, { budget }) => !strictlyEqual(a, b, budget)],
  ['<', (a, b, { budget }) => compare(a, b, budget) < 0],
  ['>', (a, b, { budget }) => compare(b, a, budget) < 0],
  ['<=', (a, b, { budget }) => compare(a, b, budget) <= 0],
  ['>=', (a, b, { budget }) => compare(b, a, budget) <= 0],
  [
    '<=>',
    (a, b, { budget }) => {
      const order = compare(a, b, budget)
      return Number.isNaN(order) ? 1 : Math.sign(order)
    },
  ],
]

const collectionOperations: Operations = [
  ['in', (a, b, { budget }) => isIn(a, b, budget)],
  ['not in', (a, b, { budget }) => !isIn(a, b, budget)],
  ['..', (a, b, render) => range([a, b, 1], render)],
  ['has some', (a, b, render) => holds('has some', [a, b], render)],
  ['has every', (a, b, render) => holds('has every', [a, b], render)],
]

/** Checks whether an arrow function returns true for some or for every element. */
function holds(
  operator: 'has some' | 'has every',
  [left, right]: [Value, Value],
  render: Render,
): boolean {
  const collection = requireCollection(left, `"${operator}" test`)
  const arrow = requireArrow(right, `"${operator}" operator`)
  const wanted = operator === 'has some'
  for (const [key, value] of entriesOf(collection)) {
    render.budget.spend(1)
    if (toBoolean(arrow.call([value, key])) === wanted) return wanted
  }
  return !wanted
}

const textOperations: Operations = [
  [
    '~',
    (a, b, { budget }) => {
      const left = toText(a)
      const right = toText(b)
      budget.allocateText(left.length + right.length)
      return left + right
    },
  ],
  ['starts with', edge((text, part) => text.startsWith(part))],
  ['ends with', edge((text, part) => text.endsWith(part))],
]

/** Only strings are compared here, as in Twig: markup never matches. */
function edge(isThere: (text: string, part: string) => boolean): Operation {
  return (a, b, { budget }) => {
    if (typeof a !== 'string' || typeof b !== 'string') return false
    budget.spendOnText(b.length)
    return isThere(a, b)
  }
}

/** The binary operators that evaluate both sides first, by name. */
export const operations: ReadonlyMap<string, Operation> = new Map([
  ...arithmeticOperations,
  ...comparisonOperations,
  ...textOperations,
  ...collectionOperations,
])
