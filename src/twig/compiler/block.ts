import { runtimeFault } from '../errors/faults.ts'
import {
  type BlockSearch,
  displayBlock,
  displayParentBlock,
  findBlock,
} from '../runtime/inheritance.ts'
import { loadTemplate } from '../runtime/loading.ts'
import type { Block, Evaluate, Frame, Render } from '../runtime/render.ts'
import type { BlockExpression, ParentExpression } from '../syntax/expression.ts'
import { markupOrEmpty } from '../values/markup.ts'
import { toText } from '../values/text.ts'
import type { EvaluateMaybe, ExpressionCompiler } from './evaluators.ts'

/** `block('name')`: what a block prints, as safe markup. */
export function compileBlock(compiler: ExpressionCompiler, expression: BlockExpression): Evaluate {
  const search = compileSearch(compiler, expression)
  return (render, frame) => {
    const wanted = search(render, frame)
    const block = findBlock(render, frame, wanted)
    if (block !== undefined) return show(render, frame, { block, search: wanted })
    throw runtimeFault(
      `Block "${wanted.name}" on template "${missingOn(wanted)}" does not exist.`,
      expression.place,
    )
  }
}

/** As `compileBlock`, giving undefined where there is no such block. */
export function compileLenientBlock(
  compiler: ExpressionCompiler,
  expression: BlockExpression,
): EvaluateMaybe {
  const search = compileSearch(compiler, expression)
  return (render, frame) => {
    const wanted = search(render, frame)
    const block = findBlock(render, frame, wanted)
    return block === undefined ? undefined : show(render, frame, { block, search: wanted })
  }
}

/** Whether there is such a block: `is defined` asks. */
export function compileBlockDefined(
  compiler: ExpressionCompiler,
  expression: BlockExpression,
): (render: Render, frame: Frame) => boolean {
  const search = compileSearch(compiler, expression)
  return (render, frame) => findBlock(render, frame, search(render, frame)) !== undefined
}

/** `parent()`: what the block is in the templates above. */
export function compileParent(expression: ParentExpression): Evaluate {
  const { blockName: name, place } = expression
  return (render, frame) => {
    const owner = frame.template
    const printed = render.capture(() => {
      displayParentBlock(render, frame, { name, owner, place })
    }, frame)
    return markupOrEmpty(printed)
  }
}

function compileSearch(
  compiler: ExpressionCompiler,
  expression: BlockExpression,
): (render: Render, frame: Frame) => BlockSearch {
  const { place } = expression
  const name = compiler.evaluator(expression.name)
  if (expression.template === undefined) {
    return (render, frame) => ({
      name: toText(name(render, frame)),
      template: frame.template,
      overrides: frame.overrides,
      place,
    })
  }
  const other = compiler.evaluator(expression.template)
  return (render, frame) => ({
    name: toText(name(render, frame)),
    template: loadTemplate(render, other(render, frame), place),
    overrides: [],
    place,
  })
}

function show(
  render: Render,
  frame: Frame,
  { block, search }: { block: Block; search: BlockSearch },
): ReturnType<typeof markupOrEmpty> {
  const { overrides, place } = search
  const printed = render.capture(
    () => displayBlock(render, frame, { block, overrides, place }),
    frame,
  )
  return markupOrEmpty(printed)
}

/** Twig names the template at the top of the inheritance, where the search ended. */
function missingOn(search: BlockSearch): string {
  const last = search.overrides.at(-1) ?? search.template
  return last.name ?? ''
}
