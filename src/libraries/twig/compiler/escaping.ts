import type { SafeFor } from '../callables/definition.ts'
import { escapeHtml, escapeUnlessSafe, findEscaper, getEscaper } from '../escaping/escape.ts'
import type { Evaluate, Execute, Render } from '../runtime/render.ts'
import type { BinaryExpression, Expression, FilterExpression } from '../syntax/expression.ts'
import type { Compiler, Strategy } from '../syntax/statement.ts'
import { numberText, toBoolean, toText } from '../values/conversions.ts'
import type { Value } from '../values/value.ts'

/** Compiles `{{ expression }}`: escaped by a strategy, unless the expression is safe for it. */
export function compilePrint(
  compiler: Compiler,
  expression: Expression,
  strategy: Strategy,
): Execute {
  if (strategy === false || isSafeFor(expression, strategy)) {
    return printing(compiler.expression(expression), expression)
  }
  // An expression with branches is escaped branch by branch.
  const isSimple = expression.kind !== 'conditional' && !isAlternative(expression)
  if (strategy === 'html' && isSimple) {
    return printingHtml(compiler.expression(expression), expression)
  }
  return printing(compileEscaped(compiler, expression, strategy), expression)
}

function printing(evaluate: Evaluate, { place }: Expression): Execute {
  return (render, frame) => {
    const value = evaluate(render, frame)
    if (typeof value === 'string') render.write(value)
    else if (typeof value === 'number') render.write(numberText(value))
    else render.write(textAt(render, value, place))
  }
}

/**
 * Does the work of `compileEscaped` and `printing` for HTML in one step, which is the common case.
 */
function printingHtml(evaluate: Evaluate, { place }: Expression): Execute {
  return (render, frame) => {
    const value = evaluate(render, frame)
    if (typeof value === 'string') {
      render.at = place
      render.write(escapeHtml(value, render.budget))
    } else if (typeof value === 'number') {
      render.write(numberText(value))
    } else {
      const escaped = escapeUnlessSafe(value, escapeHtml, render.budget)
      render.write(textAt(render, escaped, place))
    }
  }
}

function isAlternative(expression: Expression): expression is BinaryExpression {
  return expression.kind === 'binary' && ['?:', '??'].includes(expression.operator)
}

/** Compiles an expression to its escaped value, unless the expression is safe for the strategy. */
export function compileEscaped(
  compiler: Compiler,
  expression: Expression,
  strategy: string,
): Evaluate {
  if (isSafeFor(expression, strategy)) return compiler.expression(expression)
  // Each branch is escaped separately: one may be safe while the other is not.
  if (expression.kind === 'conditional') {
    const test = compiler.expression(expression.test)
    const then = compileEscaped(compiler, expression.then, strategy)
    const otherwise = compileEscaped(compiler, expression.otherwise, strategy)
    return (render, frame) => (toBoolean(test(render, frame)) ? then : otherwise)(render, frame)
  }
  if (isAlternative(expression)) return compileAlternative(compiler, expression, strategy)
  const evaluate = compiler.expression(expression)
  const escapeValue = escaperAt(expression, strategy)
  return (render, frame) => escapeValue(evaluate(render, frame), render)
}

/** Compiles `a ?: b` or `a ?? b`. */
function compileAlternative(
  compiler: Compiler,
  { operator, left, right }: BinaryExpression,
  strategy: string,
): Evaluate {
  const isElvis = operator === '?:'
  const first = isElvis ? compiler.expression(left) : compiler.lenientExpression(left)
  const second = compileEscaped(compiler, right, strategy)
  const escapeValue = isSafeFor(left, strategy)
    ? (value: Value) => value
    : escaperAt(left, strategy)
  return (render, frame) => {
    const value = first(render, frame)
    if (value === undefined || value === null || (isElvis && !toBoolean(value))) {
      return second(render, frame)
    }
    return escapeValue(value, render)
  }
}

/**
 * Returns a function that escapes a value. Built-in strategies are looked up now, custom ones while
 * rendering.
 */
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

/** Safe for every strategy. */
const all: SafeFor = ['all']
const none: SafeFor = []

/** Returns true when an expression never needs escaping by a strategy. */
function isSafeFor(expression: Expression, strategy: string): boolean {
  const safe = safeFor(expression)
  if (safe.includes('all') || safe.includes(strategy)) return true
  // Output that is safe in every attribute is safe in HTML as well.
  if (strategy === 'html') return safe.includes('html_attr') || safe.includes('html_attr_relaxed')
  return strategy === 'html_attr_relaxed' && safe.includes('html_attr')
}

/**
 * Returns the strategies that an expression is safe for. Constants are safe for all: the template
 * author wrote them.
 */
function safeFor(expression: Expression): SafeFor {
  switch (expression.kind) {
    case 'literal':
    case 'block':
    case 'parent':
    case 'macro':
      return all
    case 'conditional':
      return intersect(safeFor(expression.then), safeFor(expression.otherwise))
    case 'binary':
      if (!isAlternative(expression)) return none
      return intersect(safeFor(expression.left), safeFor(expression.right))
    case 'filter':
      return safetyOfFilter(expression)
    case 'function':
      return expression.definition.safeFor ?? none
    default:
      return none
  }
}

function safetyOfFilter(expression: FilterExpression): SafeFor {
  const { definition, args, target } = expression
  const known = args.positional.map((arg) => (arg.kind === 'literal' ? arg.value : undefined))
  const safe =
    typeof definition.safeFor === 'function' ? definition.safeFor(known) : definition.safeFor
  if (safe !== undefined && safe.length > 0) return safe
  return intersect(safeFor(target), definition.preservesSafety ?? none)
}

function intersect(a: SafeFor, b: SafeFor): SafeFor {
  if (a.includes('all')) return b
  if (b.includes('all')) return a
  return a.filter((strategy) => b.includes(strategy))
}
