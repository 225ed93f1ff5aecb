import type { FilterDefinition } from '../callables/definition.ts'
import type { Evaluate, Frame, Render } from '../runtime/render.ts'
import type {
  Expression,
  FilterExpression,
  FunctionExpression,
  TestExpression,
} from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'
import { compileBoundArguments } from './arguments.ts'
import { compileBlockDefined } from './block.ts'
import { compileEscaped } from './escaping.ts'
import { compileMacroDefined } from './macros.ts'

/** Compiles `target|filter(…)`. */
export function compileFilter(compiler: Compiler, expression: FilterExpression): Evaluate {
  const { definition, place } = expression
  const { apply } = definition
  const target = compileInput(compiler, definition, expression.target)
  const args = compileBoundArguments(compiler, expression)
  return (render, frame) => {
    const value = target(render, frame)
    const given = args(render, frame)
    render.at = place
    return apply(value, given, render)
  }
}

function compileInput(
  compiler: Compiler,
  definition: FilterDefinition,
  target: Expression,
): Evaluate {
  if (definition.preEscape !== undefined) {
    return compileEscaped(compiler, target, definition.preEscape)
  }
  if (!definition.acceptsMissing) return compiler.expression(target)
  const lenient = compiler.lenientExpression(target)
  return (render, frame) => lenient(render, frame) ?? null
}

/** Compiles `name(…)`. */
export function compileFunction(compiler: Compiler, expression: FunctionExpression): Evaluate {
  const { definition, place } = expression
  const { call } = definition
  const args = compileBoundArguments(compiler, expression)
  return (render, frame) => {
    const given = args(render, frame)
    render.at = place
    return call(given, render, frame)
  }
}

/** Compiles `target is test(…)`. */
export function compileTest(compiler: Compiler, expression: TestExpression): Evaluate {
  const { definition, place } = expression
  if (definition.name === 'defined') return compileDefined(compiler, expression.target)
  const { check } = definition
  const target = compiler.expression(expression.target)
  const args = compileBoundArguments(compiler, expression)
  return (render, frame) => {
    const value = target(render, frame)
    const given = args(render, frame)
    render.at = place
    return check(value, given, render)
  }
}

/** Compiles `target is defined` for a variable, attribute, block, macro or constant. */
function compileDefined(compiler: Compiler, target: Expression): Evaluate {
  switch (target.kind) {
    case 'block':
      return compileBlockDefined(compiler, target)
    case 'macro':
      return compileMacroDefined(target)
    case 'function':
      return compileConstantDefined(compiler, target.args.positional[0])
    case 'name':
    case 'attribute': {
      const lenient = compiler.lenientExpression(target)
      return (render, frame) => lenient(render, frame) !== undefined
    }
    default:
      return () => true
  }
}

function compileConstantDefined(
  compiler: Compiler,
  name: Expression | undefined,
): (render: Render, frame: Frame) => boolean {
  if (name === undefined) return () => false
  const evaluate = compiler.expression(name)
  return (render, frame) => render.settings.constants.has(toText(evaluate(render, frame)))
}
