import { runtimeFault } from '../errors/faults.ts'
import { findAttribute, missingAttribute } from '../runtime/attributes.ts'
import type { Evaluate, Render } from '../runtime/render.ts'
import type { AssignExpression, DestructureExpression } from '../syntax/expression.ts'
import { isCollection } from '../values/collections.ts'
import { typeName } from '../values/type-name.ts'
import type { Value } from '../values/value.ts'
import type { ExpressionCompiler } from './evaluators.ts'

/** `name = value`, which is also the value. */
export function compileAssign(
  compiler: ExpressionCompiler,
  expression: AssignExpression,
): Evaluate {
  const { name } = expression
  const evaluate = compiler.evaluator(expression.value)
  compiler.noteAssignment(name)
  return (render, frame) => {
    const value = evaluate(render, frame)
    frame.set(name, value)
    return value
  }
}

/** `[a, b] = value`: what a sequence has too few of is null. `{a, b} = value`: what a mapping lacks is missing. */
export function compileDestructure(
  compiler: ExpressionCompiler,
  expression: DestructureExpression,
): Evaluate {
  const { targets, place } = expression
  const evaluate = compiler.evaluator(expression.value)
  for (const { name } of targets) {
    if (name !== undefined) compiler.noteAssignment(name)
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
    throw runtimeFault(`Only a sequence can be destructured so, got "${typeName(value)}".`)
  }
  const found = findAttribute(value, key, 'any', render.budget)
  if (found !== undefined) return found
  if (expression.isMapping && render.settings.strictVariables) {
    throw missingAttribute(value, key, 'any')
  }
  return null
}
