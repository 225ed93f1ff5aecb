import type { Evaluate, Frame, Render } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import { toText } from '../values/text.ts'
import { compileBlockDefined } from './block.ts'
import type { ExpressionCompiler } from './evaluators.ts'
import { compileMacroDefined } from './macro-call.ts'

/** `target is defined`: whether a variable, attribute, block, macro or constant exists. */
export function compileDefined(compiler: ExpressionCompiler, target: Expression): Evaluate {
  switch (target.kind) {
    case 'block':
      return compileBlockDefined(compiler, target)
    case 'macro':
      return compileMacroDefined(target)
    case 'function':
      return compileConstantDefined(compiler, target.args.positional[0])
    case 'name':
    case 'attribute': {
      const lenient = compiler.lenientEvaluator(target)
      return (render, frame) => lenient(render, frame) !== undefined
    }
    default:
      return () => true
  }
}

function compileConstantDefined(
  compiler: ExpressionCompiler,
  name: Expression | undefined,
): (render: Render, frame: Frame) => boolean {
  if (name === undefined) return () => false
  const evaluate = compiler.evaluator(name)
  return (render, frame) => render.settings.constants.has(toText(evaluate(render, frame)))
}
