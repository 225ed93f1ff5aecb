import { requireArrow, requireCollection } from '../callables/arguments.ts'
import { range } from '../functions/range.ts'
import { isIn } from '../php/membership.ts'
import type { Render } from '../runtime/render.ts'
import { entriesOf } from '../values/collections.ts'
import { toBoolean } from '../values/truth.ts'
import type { Value } from '../values/value.ts'
import type { Operation } from './operation.ts'

export const collectionOperators: readonly [operator: string, operation: Operation][] = [
  ['in', (a, b, { budget }) => isIn(a, b, budget)],
  ['not in', (a, b, { budget }) => !isIn(a, b, budget)],
  ['..', (a, b, render) => range([a, b, 1], render)],
  ['has some', (a, b, render) => holds('has some', [a, b], render)],
  ['has every', (a, b, render) => holds('has every', [a, b], render)],
]

/** Whether an arrow function holds for some or for every element. */
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
