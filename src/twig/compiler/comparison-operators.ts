import { compare, looselyEqual, strictlyEqual } from '../php/comparison.ts'
import type { Operation } from './operation.ts'

/** PHP's comparisons. Values without an order are neither less nor greater nor equal. */
export const comparisonOperators: readonly [operator: string, operation: Operation][] = [
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
