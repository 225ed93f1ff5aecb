import type { Evaluate } from '../runtime/render.ts'
import type { BinaryExpression, ConditionalExpression } from '../syntax/expression.ts'
import { toBoolean } from '../values/truth.ts'
import type { ExpressionCompiler } from './evaluators.ts'

/** `test ? then : otherwise`. */
export function compileConditional(
  compiler: ExpressionCompiler,
  expression: ConditionalExpression,
): Evaluate {
  const test = compiler.evaluator(expression.test)
  const then = compiler.evaluator(expression.then)
  const otherwise = compiler.evaluator(expression.otherwise)
  return (render, frame) =>
    toBoolean(test(render, frame)) ? then(render, frame) : otherwise(render, frame)
}

/** The operators that may leave out their right side; undefined for others. */
export function compileLogic(
  compiler: ExpressionCompiler,
  expression: BinaryExpression,
): Evaluate | undefined {
  const { operator, left, right } = expression
  if (operator === '??') return compileNullCoalesce(compiler, expression)
  if (!['and', 'or', 'xor', '?:'].includes(operator)) return undefined
  const a = compiler.evaluator(left)
  const b = compiler.evaluator(right)
  switch (operator) {
    case 'and':
      return (render, frame) => toBoolean(a(render, frame)) && toBoolean(b(render, frame))
    case 'or':
      return (render, frame) => toBoolean(a(render, frame)) || toBoolean(b(render, frame))
    case 'xor':
      return (render, frame) => toBoolean(a(render, frame)) !== toBoolean(b(render, frame))
    default:
      return (render, frame) => {
        const value = a(render, frame)
        return toBoolean(value) ? value : b(render, frame)
      }
  }
}

function compileNullCoalesce(compiler: ExpressionCompiler, expression: BinaryExpression): Evaluate {
  const a = compiler.lenientEvaluator(expression.left)
  const b = compiler.evaluator(expression.right)
  // Neither what is missing nor a null counts.
  return (render, frame) => a(render, frame) ?? b(render, frame)
}
