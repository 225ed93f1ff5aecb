import { bindValues, type Callee } from '../callables/bind-arguments.ts'
import type { Frame, Render } from '../runtime/render.ts'
import type { BoundArguments } from '../syntax/expression.ts'
import type { Value } from '../values/value.ts'
import { compileArgumentList } from './argument-list.ts'
import type { ExpressionCompiler } from './evaluators.ts'

/** Arguments to be evaluated, or their values where all are known when compiling. */
export type CompiledArguments = Value[] | ((render: Render, frame: Frame) => readonly Value[])

/** Arguments of a filter, function or test, in the order of its parameters. */
export function compileBoundArguments(
  compiler: ExpressionCompiler,
  args: BoundArguments,
  callee: Callee,
): CompiledArguments {
  if (args.spread.length > 0) return compileSpread(compiler, args, callee)
  const expressions = [...args.positional, ...args.rest.map(({ value }) => value)]
  const constants: Value[] = []
  for (const expression of expressions) {
    if (expression.kind === 'literal') constants.push(expression.value)
  }
  if (constants.length === expressions.length) return constants
  const evaluators = expressions.map((expression) => compiler.evaluator(expression))
  return (render, frame) => evaluators.map((evaluate) => evaluate(render, frame))
}

function compileSpread(
  compiler: ExpressionCompiler,
  args: BoundArguments,
  callee: Callee,
): CompiledArguments {
  const list = compileArgumentList(compiler, [
    ...args.positional.map((value) => ({ value, isSpread: false })),
    ...args.spread.map((value) => ({ value, isSpread: true })),
    ...args.rest.map((argument) => ({ ...argument, isSpread: false })),
  ])
  return (render, frame) => {
    const { positional, named } = list(render, frame)
    return bindValues(callee, positional, named)
  }
}
