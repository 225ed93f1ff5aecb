import type { Expression } from './expression.ts'
import { operandsOf } from './operands.ts'

/** The variables that an expression names. What it includes or prints as a block may read others. */
export function namesRead(expression: Expression, names = new Set<string>()): Set<string> {
  if (expression.kind === 'name') names.add(expression.name)
  for (const operand of operandsOf(expression)) namesRead(operand, names)
  return names
}
