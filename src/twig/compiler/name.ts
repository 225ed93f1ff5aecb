import { runtimeFault } from '../errors/faults.ts'
import { suggestion } from '../errors/suggest.ts'
import type { Evaluate, Frame, Render } from '../runtime/render.ts'
import type { NameExpression } from '../syntax/expression.ts'
import { collectionFrom } from '../values/collections.ts'
import type { Value } from '../values/value.ts'
import type { EvaluateMaybe, ExpressionCompiler } from './evaluators.ts'

const specialNames = new Map<string, (compiler: { templateName: string | undefined }) => Evaluate>([
  [
    '_self',
    ({ templateName }) =>
      () =>
        templateName ?? '',
  ],
  ['_charset', () => () => 'UTF-8'],
  ['_context', () => (render, frame) => everything(render, frame)],
])

/** A variable is looked for in all frames: so many of them make one step. */
const framesAStep = 8
const nearFrames = 16

/** A variable. Without it: an error where variables are strict, else null. */
export function compileName(compiler: ExpressionCompiler, expression: NameExpression): Evaluate {
  const { name } = expression
  const special = specialNames.get(name)
  if (special !== undefined) return special(compiler)
  return (render, frame) => {
    if (frame.height > nearFrames) render.budget.spend(frame.height / framesAStep)
    const value = frame.find(name)
    return value === undefined ? missing(render, frame, expression) : value
  }
}

export function compileLenientName(expression: NameExpression): EvaluateMaybe {
  const { name, place } = expression
  const special = specialNames.get(name)
  if (special !== undefined) return special(place)
  return (_render, frame) => frame.find(name)
}

function missing(render: Render, frame: Frame, expression: NameExpression): Value {
  const { name, place } = expression
  if (!render.settings.strictVariables) return null
  // One or two letters are part of too many names.
  const near = name.length < 3 ? '' : suggestion(name, frame.everything(render.budget).keys())
  throw runtimeFault(`Variable "${name}" does not exist.${near}`, place)
}

function everything(render: Render, frame: Frame): Value {
  const all = frame.everything(render.budget)
  render.budget.allocateElements(all.size)
  return collectionFrom(all)
}
