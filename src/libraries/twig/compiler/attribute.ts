import { callMethod, findAttribute, missingAttribute } from '../runtime/attributes.ts'
import type { Evaluate, EvaluateMaybe, Frame, Render } from '../runtime/render.ts'
import type { AttributeExpression } from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { toKey, toText } from '../values/conversions.ts'
import type { Key, Value } from '../values/value.ts'
import { compileArgumentList } from './arguments.ts'

/**
 * Compiles an attribute or element access. A missing one is null, or an error with strict
 * variables.
 */
export function compileAttribute(compiler: Compiler, expression: AttributeExpression): Evaluate {
  if (isNullSafe(expression)) return compileNullSafe(compiler, expression)
  const target = compiler.expression(expression.target)
  const { attribute } = expression
  const hasArguments = expression.args.length > 0 || expression.access === 'method'
  if (attribute.kind === 'literal' && !hasArguments) {
    return readConstant(expression, target, { name: attribute.value, key: toKey(attribute.value) })
  }
  const read = compileRead(compiler, expression)
  return (render, frame) => read(render, frame, target(render, frame))
}

/** Like `compileAttribute`, but a missing attribute gives undefined. */
export function compileLenientAttribute(
  compiler: Compiler,
  expression: AttributeExpression,
): EvaluateMaybe {
  const target = compiler.lenientExpression(expression.target)
  const find = compileFind(compiler, expression)
  return (render, frame) => {
    const value = target(render, frame)
    return value === undefined || value === null ? undefined : find(render, frame, value).found
  }
}

/** Compiles `a?.b.c`: when `a` is null, the result is null and the rest is not evaluated. */
function compileNullSafe(compiler: Compiler, expression: AttributeExpression): Evaluate {
  const chain = compileChain(compiler, expression)
  return (render, frame) => chain(render, frame) ?? null
}

function compileChain(compiler: Compiler, expression: AttributeExpression): EvaluateMaybe {
  const inner = expression.target
  const target: EvaluateMaybe =
    inner.kind === 'attribute' && isNullSafe(inner)
      ? compileChain(compiler, inner)
      : compiler.expression(inner)
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

/** Compiles the most common access: a name or number that is a constant. */
function readConstant(
  expression: AttributeExpression,
  target: Evaluate,
  item: { name: Value; key: Key },
): Evaluate {
  const { name, key } = item
  return (render, frame) => {
    const value = target(render, frame)
    // `instanceof` loses the type of the map's values.
    const inMap: Value | undefined = value instanceof Map ? value.get(key) : undefined
    if (inMap !== undefined) return inMap
    const found = findAttribute(value, name, expression.access, render.budget)
    return found === undefined ? absent(render, expression, [value, name]) : found
  }
}

/** Reads an attribute of a value that is already evaluated. */
function compileRead(
  compiler: Compiler,
  expression: AttributeExpression,
): (render: Render, frame: Frame, target: Value) => Value {
  const find = compileFind(compiler, expression)
  return (render, frame, target) => {
    const { found, name } = find(render, frame, target)
    return found === undefined ? absent(render, expression, [target, name]) : found
  }
}

/** Finds the attribute of the target, or calls its method of that name. */
function compileFind(
  compiler: Compiler,
  expression: AttributeExpression,
): (render: Render, frame: Frame, target: Value) => { found: Value | undefined; name: Value } {
  const { access, place } = expression
  const item = compiler.expression(expression.attribute)
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

/** Returns null for a missing attribute, or throws with strict variables. */
function absent(
  render: Render,
  expression: AttributeExpression,
  [target, item]: [target: Value, item: Value],
): Value {
  if (!render.settings.strictVariables) return null
  throw missingAttribute(target, item, expression.access).at(expression.target.place)
}
