import { escapeUnlessSafe, findEscaper, getEscaper } from '../escaping/escape.ts'
import type { Evaluate, Execute, Render } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Strategy } from '../syntax/statement.ts'
import { numberText } from '../values/number-text.ts'
import { toText } from '../values/text.ts'
import { toBoolean } from '../values/truth.ts'
import type { Value } from '../values/value.ts'
import type { ExpressionCompiler } from './evaluators.ts'
import { isSafeFor } from './safety.ts'

/** `{{ expression }}`, escaped by a strategy unless it is safe for it. */
export function compilePrint(
  compiler: ExpressionCompiler,
  expression: Expression,
  strategy: Strategy,
): Execute {
  const { place } = expression
  if (strategy === false || isSafeFor(expression, strategy)) {
    const evaluate = compiler.evaluator(expression)
    return (render, frame) => {
      const value = evaluate(render, frame)
      render.write(typeof value === 'string' ? value : textAt(render, value, place))
    }
  }
  const evaluate = compileEscaped(compiler, expression, strategy)
  return (render, frame) => {
    const value = evaluate(render, frame)
    if (typeof value === 'string') render.write(value)
    else if (typeof value === 'number') render.write(numberText(value))
    else render.write(textAt(render, value, place))
  }
}

/** The value of an expression, escaped by a strategy unless it is safe for it. */
export function compileEscaped(
  compiler: ExpressionCompiler,
  expression: Expression,
  strategy: string,
): Evaluate {
  if (isSafeFor(expression, strategy)) return compiler.evaluator(expression)
  // Each side on its own: one may be safe where the other is not.
  if (expression.kind === 'conditional') {
    const test = compiler.evaluator(expression.test)
    const then = compileEscaped(compiler, expression.then, strategy)
    const otherwise = compileEscaped(compiler, expression.otherwise, strategy)
    return (render, frame) => (toBoolean(test(render, frame)) ? then : otherwise)(render, frame)
  }
  if (expression.kind === 'binary' && expression.operator === '?:') {
    return compileEscapedElvis(compiler, [expression.left, expression.right], strategy)
  }
  if (expression.kind === 'binary' && expression.operator === '??') {
    return compileEscapedCoalesce(compiler, [expression.left, expression.right], strategy)
  }
  const evaluate = compiler.evaluator(expression)
  const escapeValue = escaperAt(expression, strategy)
  return (render, frame) => escapeValue(evaluate(render, frame), render)
}

function compileEscapedElvis(
  compiler: ExpressionCompiler,
  [left, right]: [Expression, Expression],
  strategy: string,
): Evaluate {
  const first = compiler.evaluator(left)
  const second = compileEscaped(compiler, right, strategy)
  const escapeValue = isSafeFor(left, strategy)
    ? (value: Value) => value
    : escaperAt(left, strategy)
  return (render, frame) => {
    const value = first(render, frame)
    return toBoolean(value) ? escapeValue(value, render) : second(render, frame)
  }
}

function compileEscapedCoalesce(
  compiler: ExpressionCompiler,
  [left, right]: [Expression, Expression],
  strategy: string,
): Evaluate {
  const first = compiler.lenientEvaluator(left)
  const second = compileEscaped(compiler, right, strategy)
  const escapeValue = isSafeFor(left, strategy)
    ? (value: Value) => value
    : escaperAt(left, strategy)
  return (render, frame) => {
    const value = first(render, frame)
    return value === undefined || value === null
      ? second(render, frame)
      : escapeValue(value, render)
  }
}

/** Escapes a value by a strategy. Twig's own are found now, the engine's when rendering. */
function escaperAt(
  { place }: Expression,
  strategy: string,
): (value: Value, render: Render) => Value {
  const known = findEscaper(strategy)
  return (value, render) => {
    if (typeof value === 'number') return value
    render.at = place
    return escapeUnlessSafe(value, known ?? getEscaper(strategy, render), render.budget)
  }
}

function textAt(render: Render, value: Value, place: Expression['place']): string {
  render.at = place
  return toText(value)
}
