import { syntaxFault } from '../errors.ts'
import { negate, positive } from '../php/arithmetic.ts'
import type { Evaluate } from '../runtime/render.ts'
import type {
  BinaryExpression,
  ConditionalExpression,
  UnaryExpression,
} from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { toBoolean } from '../values/conversions.ts'
import { compileMatches } from './matches.ts'
import { operations } from './operations.ts'

/** Compiles `not a`, `-a` and `+a`. */
export function compileUnary(compiler: Compiler, expression: UnaryExpression): Evaluate {
  const { operator, place } = expression
  const operand = compiler.expression(expression.operand)
  if (operator === 'not') return (render, frame) => !toBoolean(operand(render, frame))
  if (operator === '...') throw syntaxFault('The spread operator "..." is not allowed here.', place)
  const operate = operator === '-' ? negate : positive
  return (render, frame) => {
    const value = operand(render, frame)
    render.at = place
    return operate(value)
  }
}

/** Compiles a binary operator such as `a + b`. */
export function compileBinary(compiler: Compiler, expression: BinaryExpression): Evaluate {
  const logic = compileLogic(compiler, expression)
  if (logic !== undefined) return logic
  const { operator, place } = expression
  if (operator === 'matches') return compileMatches(compiler, expression)
  const left = compiler.expression(expression.left)
  const right = compiler.expression(expression.right)
  const operate = operations.get(operator)
  if (operate === undefined) throw syntaxFault(`Unknown "${operator}" operator.`, place)
  return (render, frame) => {
    const a = left(render, frame)
    const b = right(render, frame)
    render.at = place
    return operate(a, b, render)
  }
}

/** Compiles `test ? then : otherwise`. */
export function compileConditional(
  compiler: Compiler,
  expression: ConditionalExpression,
): Evaluate {
  const test = compiler.expression(expression.test)
  const then = compiler.expression(expression.then)
  const otherwise = compiler.expression(expression.otherwise)
  return (render, frame) =>
    toBoolean(test(render, frame)) ? then(render, frame) : otherwise(render, frame)
}

/** Compiles an operator that may skip its right side. Returns undefined for other operators. */
function compileLogic(compiler: Compiler, expression: BinaryExpression): Evaluate | undefined {
  const { operator, left, right } = expression
  if (operator === '??') return compileNullCoalesce(compiler, expression)
  if (!['and', 'or', 'xor', '?:'].includes(operator)) return undefined
  const a = compiler.expression(left)
  const b = compiler.expression(right)
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

function compileNullCoalesce(compiler: Compiler, expression: BinaryExpression): Evaluate {
  const a = compiler.lenientExpression(expression.left)
  const b = compiler.expression(expression.right)
  // Missing values and nulls both fall through to the right side.
  return (render, frame) => a(render, frame) ?? b(render, frame)
}
