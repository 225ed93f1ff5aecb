import { syntaxFault } from '../errors/faults.ts'
import { negate, positive } from '../php/arithmetic.ts'
import type { Evaluate } from '../runtime/render.ts'
import type { BinaryExpression, UnaryExpression } from '../syntax/expression.ts'
import { toBoolean } from '../values/truth.ts'
import { arithmeticOperators } from './arithmetic-operators.ts'
import { collectionOperators } from './collection-operators.ts'
import { comparisonOperators } from './comparison-operators.ts'
import type { ExpressionCompiler } from './evaluators.ts'
import { compileLogic } from './logic.ts'
import type { Operation } from './operation.ts'
import { compileMatches, textOperators } from './text-operators.ts'

/** `not a`, `-a`, `+a`. */
export function compileUnary(compiler: ExpressionCompiler, expression: UnaryExpression): Evaluate {
  const { operator, place } = expression
  const operand = compiler.evaluator(expression.operand)
  if (operator === 'not') return (render, frame) => !toBoolean(operand(render, frame))
  if (operator === '...') throw syntaxFault('Nothing can be unpacked here.', place)
  const operate = operator === '-' ? negate : positive
  return (render, frame) => {
    const value = operand(render, frame)
    render.at = place
    return operate(value)
  }
}

const operations: ReadonlyMap<string, Operation> = new Map([
  ...arithmeticOperators,
  ...comparisonOperators,
  ...textOperators,
  ...collectionOperators,
])

/** `a + b` and all the others with two sides. */
export function compileBinary(
  compiler: ExpressionCompiler,
  expression: BinaryExpression,
): Evaluate {
  const logic = compileLogic(compiler, expression)
  if (logic !== undefined) return logic
  const { operator, place } = expression
  if (operator === 'matches') return compileMatches(compiler, expression)
  const left = compiler.evaluator(expression.left)
  const right = compiler.evaluator(expression.right)
  const operate = operations.get(operator)
  if (operate === undefined) throw syntaxFault(`Unknown "${operator}" operator.`, place)
  return (render, frame) => {
    const a = left(render, frame)
    const b = right(render, frame)
    render.at = place
    return operate(a, b, render)
  }
}
