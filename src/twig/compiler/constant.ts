import { syntaxFault } from '../errors/faults.ts'
import { negate, positive } from '../php/arithmetic.ts'
import type { Expression } from '../syntax/expression.ts'
import { CollectionBuilder } from '../values/collections.ts'
import { toKey } from '../values/keys.ts'
import type { Value } from '../values/value.ts'

/** Whether an expression is a constant: what a macro's parameter may fall back to. */
export function isConstant(expression: Expression): boolean {
  if (expression.kind === 'literal') return true
  if (expression.kind === 'unary') {
    return expression.operator !== 'not' && isConstant(expression.operand)
  }
  if (expression.kind !== 'collection') return false
  return expression.items.every(
    ({ key, value, isSpread }) =>
      !isSpread && isConstant(value) && (key === undefined || isConstant(key)),
  )
}

/** The value of a constant expression. */
export function constantValue(expression: Expression): Value {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind === 'unary' && expression.operator === '-') {
    return negate(constantValue(expression.operand))
  }
  if (expression.kind === 'unary') return positive(constantValue(expression.operand))
  if (expression.kind !== 'collection') {
    throw syntaxFault('A constant was expected.', expression.place)
  }
  const builder = new CollectionBuilder()
  for (const { key, value } of expression.items) {
    if (key === undefined) builder.append(constantValue(value))
    else builder.set(toKey(constantValue(key)), constantValue(value))
  }
  return builder.build()
}
