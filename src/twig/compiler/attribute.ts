import { callMethod, findAttribute, missingAttribute } from '../runtime/attributes.ts'
import type { Evaluate, Frame, Render } from '../runtime/render.ts'
import type { AttributeExpression } from '../syntax/expression.ts'
import { toKey } from '../values/keys.ts'
import { toText } from '../values/text.ts'
import type { Key, Value } from '../values/value.ts'
import { compileArgumentList } from './argument-list.ts'
import type { EvaluateMaybe, ExpressionCompiler } from './evaluators.ts'

/** An attribute or an element. Without it: an error where variables are strict, else null. */
export function compileAttribute(
  compiler: ExpressionCompiler,
  expression: AttributeExpression,
): Evaluate {
  if (isNullSafe(expression)) return compileNullSafe(compiler, expression)
  const target = compiler.evaluator(expression.target)
  const { attribute } = expression
  const hasArguments = expression.args.length > 0 || expression.access === 'method'
  if (attribute.kind === 'literal' && !hasArguments) {
    return readConstant(expression, target, { name: attribute.value, key: toKey(attribute.value) })
  }
  const read = compileRead(compiler, expression)
  return (render, frame) => read(render, frame, target(render, frame))
}

/** As `compileAttribute`, giving undefined where there is nothing. */
export function compileLenientAttribute(
  compiler: ExpressionCompiler,
  expression: AttributeExpression,
): EvaluateMaybe {
  const target = compiler.lenientEvaluator(expression.target)
  const find = compileFind(compiler, expression)
  return (render, frame) => {
    const value = target(render, frame)
    return value === undefined || value === null ? undefined : find(render, frame, value).found
  }
}

/** `a?.b.c`: null as soon as `a` is null, and nothing behind it is looked at. */
function compileNullSafe(compiler: ExpressionCompiler, expression: AttributeExpression): Evaluate {
  const chain = compileChain(compiler, expression)
  return (render, frame) => chain(render, frame) ?? null
}

function compileChain(
  compiler: ExpressionCompiler,
  expression: AttributeExpression,
): EvaluateMaybe {
  const inner = expression.target
  const target: EvaluateMaybe =
    inner.kind === 'attribute' && isNullSafe(inner)
      ? compileChain(compiler, inner)
      : compiler.evaluator(inner)
  const read = compileRead(compiler, expression)
  return (render, frame) => {
    const value = target(render, frame)
    if (value === undefined || (value === null && expression.isNullSafe)) return undefined
    return read(render, frame, value)
  }
}

function isNullSafe(expression: AttributeExpression): boolean {
  if (expression.isNullSafe) return true
  return expression.target.kind === 'attribute' && isNullSafe(expression.target)
}

/** The commonest of all: a name or number that is known when compiling. */
function readConstant(
  expression: AttributeExpression,
  target: Evaluate,
  item: { name: Value; key: Key },
): Evaluate {
  const { name, key } = item
  return (render, frame) => {
    const value = target(render, frame)
    // The type of the map's values gets lost in `instanceof`.
    const inMap: Value | undefined = value instanceof Map ? value.get(key) : undefined
    if (inMap !== undefined) return inMap
    const found = findAttribute(value, name, expression.access, render.budget)
    return found === undefined ? absent(render, expression, [value, name]) : found
  }
}

/** Reads an attribute of a value that was evaluated already. */
function compileRead(
  compiler: ExpressionCompiler,
  expression: AttributeExpression,
): (render: Render, frame: Frame, target: Value) => Value {
  const find = compileFind(compiler, expression)
  return (render, frame, target) => {
    const { found, name } = find(render, frame, target)
    return found === undefined ? absent(render, expression, [target, name]) : found
  }
}

/** What the target holds under the name, or what its method of that name gives. */
function compileFind(
  compiler: ExpressionCompiler,
  expression: AttributeExpression,
): (render: Render, frame: Frame, target: Value) => { found: Value | undefined; name: Value } {
  const { access, place } = expression
  const item = compiler.evaluator(expression.attribute)
  const list = compileArgumentList(compiler, expression.args)
  return (render, frame, target) => {
    const name = item(render, frame)
    render.at = place
    const found =
      access === 'method' ? undefined : findAttribute(target, name, access, render.budget)
    if (found !== undefined || access === 'array') return { found, name }
    const args = list(render, frame).positional
    return { found: callMethod(target, toText(name), args, render.budget), name }
  }
}

/** What stands for an attribute that isn't there. */
function absent(
  render: Render,
  expression: AttributeExpression,
  [target, item]: [target: Value, item: Value],
): Value {
  if (!render.settings.strictVariables) return null
  throw missingAttribute(target, item, expression.access).at(expression.target.place)
}
