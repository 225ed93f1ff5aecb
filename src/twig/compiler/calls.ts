import type { FilterDefinition } from '../callables/definition.ts'
import type { Evaluate } from '../runtime/render.ts'
import type {
  Expression,
  FilterExpression,
  FunctionExpression,
  TestExpression,
} from '../syntax/expression.ts'
import { compileBoundArguments } from './bound-arguments.ts'
import { compileDefined } from './defined.ts'
import { compileEscaped } from './escaping.ts'
import type { ExpressionCompiler } from './evaluators.ts'

/** `target|filter(…)`. */
export function compileFilter(
  compiler: ExpressionCompiler,
  expression: FilterExpression,
): Evaluate {
  const { definition, place } = expression
  const { apply } = definition
  const target = compileInput(compiler, definition, expression.target)
  const args = compileBoundArguments(compiler, expression.args, {
    type: 'filter',
    name: definition.name,
    signature: definition.signature,
    place,
  })
  if (Array.isArray(args)) {
    return (render, frame) => {
      const value = target(render, frame)
      render.at = place
      return apply(value, args, render)
    }
  }
  return (render, frame) => {
    const value = target(render, frame)
    const given = args(render, frame)
    render.at = place
    return apply(value, given, render)
  }
}

function compileInput(
  compiler: ExpressionCompiler,
  definition: FilterDefinition,
  target: Expression,
): Evaluate {
  if (definition.preEscape !== undefined) {
    return compileEscaped(compiler, target, definition.preEscape)
  }
  if (!definition.acceptsMissing) return compiler.evaluator(target)
  const lenient = compiler.lenientEvaluator(target)
  return (render, frame) => lenient(render, frame) ?? null
}

/** `name(…)`. */
export function compileFunction(
  compiler: ExpressionCompiler,
  expression: FunctionExpression,
): Evaluate {
  const { definition, place } = expression
  const { call } = definition
  const args = compileBoundArguments(compiler, expression.args, {
    type: 'function',
    name: definition.name,
    signature: definition.signature,
    place,
  })
  return (render, frame) => {
    const given = Array.isArray(args) ? args : args(render, frame)
    render.at = place
    return call(given, render, frame)
  }
}

/** `target is test(…)`. */
export function compileTest(compiler: ExpressionCompiler, expression: TestExpression): Evaluate {
  const { definition, place } = expression
  if (definition.name === 'defined') return compileDefined(compiler, expression.target)
  const { check } = definition
  const target = compiler.evaluator(expression.target)
  const args = compileBoundArguments(compiler, expression.args, {
    type: 'test',
    name: definition.name,
    signature: definition.signature,
    place,
  })
  return (render, frame) => {
    const value = target(render, frame)
    const given = Array.isArray(args) ? args : args(render, frame)
    render.at = place
    return check(value, given, render)
  }
}
