import { matches, test } from '../regex/matches.ts'
import { compilePattern } from '../regex/php-pattern.ts'
import type { Evaluate } from '../runtime/render.ts'
import type { BinaryExpression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import { toText } from '../values/text.ts'
import type { ExpressionCompiler } from './evaluators.ts'
import type { Operation } from './operation.ts'

export const textOperators: readonly [operator: string, operation: Operation][] = [
  [
    '~',
    (a, b, { budget }) => {
      const left = toText(a)
      const right = toText(b)
      budget.allocateText(left.length + right.length)
      return left + right
    },
  ],
  ['starts with', (a, b) => typeof a === 'string' && typeof b === 'string' && a.startsWith(b)],
  ['ends with', (a, b) => typeof a === 'string' && typeof b === 'string' && a.endsWith(b)],
]

/** `text matches pattern`; a pattern that is known now must be valid now. */
export function compileMatches(
  compiler: ExpressionCompiler,
  expression: BinaryExpression,
): Evaluate {
  const { left, right, place } = expression
  const text = compiler.evaluator(left)
  if (right.kind === 'literal') return compileKnownMatches(text, toText(right.value), place)
  const pattern = compiler.evaluator(right)
  return (render, frame) => {
    const subject = text(render, frame)
    const wanted = pattern(render, frame)
    render.at = place
    return matches(toText(wanted), toText(subject), render)
  }
}

function compileKnownMatches(text: Evaluate, pattern: string, place: Place): Evaluate {
  const compiled = compilePattern(pattern)
  return (render, frame) => {
    const subject = text(render, frame)
    render.at = place
    return test(compiled, toText(subject), render)
  }
}
