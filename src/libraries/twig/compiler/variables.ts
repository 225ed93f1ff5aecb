import { runtimeFault, suggestion } from '../errors.ts'
import { findAttribute, missingAttribute } from '../runtime/attributes.ts'
import type { Evaluate, EvaluateMaybe, Frame, Render } from '../runtime/render.ts'
import type {
  ArrowExpression,
  AssignExpression,
  DestructureExpression,
  NameExpression,
} from '../syntax/expression.ts'
import { namesRead } from '../syntax/operands.ts'
import type { Compiler } from '../syntax/statement.ts'
import { collectionFrom, isCollection } from '../values/collections.ts'
import { typeName } from '../values/conversions.ts'
import { Arrow, type Value } from '../values/value.ts'

/** Compiles `_self`, `_charset` or `_context`. */
function compileSpecial(name: string, templateName = ''): Evaluate | undefined {
  if (name === '_self') return () => templateName
  if (name === '_charset') return () => 'UTF-8'
  return name === '_context' ? contextOf : undefined
}

/** Looking up a variable in this many frames costs one step. */
const framesPerStep = 8
const nearFrames = 16

/** Compiles a variable. A missing one is null, or an error with strict variables. */
export function compileName(compiler: Compiler, expression: NameExpression): Evaluate {
  const { name } = expression
  const special = compileSpecial(name, compiler.templateName)
  if (special !== undefined) return special
  return (render, frame) => {
    if (frame.height > nearFrames) render.budget.spend(frame.height / framesPerStep)
    const value = frame.find(name)
    return value === undefined ? missing(render, frame, expression) : value
  }
}

export function compileLenientName(expression: NameExpression): EvaluateMaybe {
  const { name, place } = expression
  const special = compileSpecial(name, place.templateName)
  if (special !== undefined) return special
  return (_render, frame) => frame.find(name)
}

function missing(render: Render, frame: Frame, expression: NameExpression): Value {
  const { name, place } = expression
  if (!render.settings.strictVariables) return null
  // Names of one or two letters are part of too many other names.
  const near = name.length < 3 ? '' : suggestion(name, frame.allVariables(render.budget).keys())
  throw runtimeFault(`Variable "${name}" does not exist.${near}`, place)
}

function contextOf(render: Render, frame: Frame): Value {
  const all = frame.allVariables(render.budget)
  render.budget.allocateElements(all.size)
  return collectionFrom(all)
}

/** Compiles `name = value`. The result is the value. */
export function compileAssign(compiler: Compiler, expression: AssignExpression): Evaluate {
  const { name } = expression
  const evaluate = compiler.expression(expression.value)
  compiler.recordAssignment(name)
  return (render, frame) => {
    const value = evaluate(render, frame)
    frame.set(name, value)
    return value
  }
}

/**
 * Compiles destructuring. `[a, b] = value` sets missing elements to null; `{a, b} = value` treats
 * them as missing attributes.
 */
export function compileDestructure(
  compiler: Compiler,
  expression: DestructureExpression,
): Evaluate {
  const { targets, place } = expression
  const evaluate = compiler.expression(expression.value)
  for (const { name } of targets) {
    if (name !== undefined) compiler.recordAssignment(name)
  }
  return (render, frame) => {
    const value = evaluate(render, frame)
    render.at = place
    render.budget.spend(targets.length)
    for (const { key, name } of targets) {
      if (name !== undefined) frame.set(name, element(render, expression, [value, key]))
    }
    return value
  }
}

function element(
  render: Render,
  expression: DestructureExpression,
  [value, key]: [value: Value, key: Value],
): Value {
  if (!expression.isMapping && !isCollection(value)) {
    throw runtimeFault(
      `Only a sequence or a mapping can be destructured, got "${typeName(value)}".`,
    )
  }
  const found = findAttribute(value, key, 'any', render.budget)
  if (found !== undefined) return found
  if (expression.isMapping && render.settings.strictVariables) {
    throw missingAttribute(value, key, 'any')
  }
  return null
}

/** Compiles an arrow function. It captures the current values of the variables that it names. */
export function compileArrow(compiler: Compiler, expression: ArrowExpression): Evaluate {
  const { parameters, place } = expression
  const { compiled: body, cost } = compiler.measureCost(() => compiler.expression(expression.body))
  const captured = [...namesRead(expression.body)].filter((name) => !parameters.includes(name))
  return (render, outer) => {
    render.budget.allocateElements(captured.length)
    const scope = capture(outer, captured)
    return new Arrow((args) => {
      const before = render.at
      render.budget.enter(place)
      render.budget.spend(cost, place)
      const frame = scope.layer({})
      parameters.forEach((name, index) => {
        frame.set(name, args[index] ?? null)
      })
      const result = body(render, frame)
      render.budget.leave()
      render.at = before
      return result
    })
  }
}

function capture(outer: Frame, names: readonly string[]): Frame {
  const scope = outer.layer({})
  for (const name of names) {
    const value = outer.find(name)
    if (value !== undefined) scope.set(name, value)
  }
  return scope
}
