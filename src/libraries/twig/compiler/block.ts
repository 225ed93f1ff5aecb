import { runtimeFault } from '../errors.ts'
import {
  type BlockSearch,
  displayBlock,
  displayParentBlock,
  findBlock,
} from '../runtime/inheritance.ts'
import { loadTemplate } from '../runtime/loading.ts'
import type { Evaluate, EvaluateMaybe, Frame, Render } from '../runtime/render.ts'
import type { BlockExpression, ParentExpression } from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'

/** Compiles `block('name')`: the output of a block. It is safe where it is printed, and a string elsewhere. */
export function compileBlock(compiler: Compiler, expression: BlockExpression): Evaluate {
  const search = compileSearch(compiler, expression)
  return (render, frame) => {
    const wanted = search(render, frame)
    const shown = show(render, frame, wanted)
    if (shown !== undefined) return shown
    // Twig's message names the template where the search ended: the root of the inheritance.
    const last = wanted.overrides.at(-1) ?? wanted.template
    throw runtimeFault(
      `Block "${wanted.name}" on template "${last.name ?? ''}" does not exist.`,
      expression.place,
    )
  }
}

/** Like `compileBlock`, but a missing block gives undefined. */
export function compileLenientBlock(
  compiler: Compiler,
  expression: BlockExpression,
): EvaluateMaybe {
  const search = compileSearch(compiler, expression)
  return (render, frame) => show(render, frame, search(render, frame))
}

/** Compiles `block('name') is defined`. */
export function compileBlockDefined(
  compiler: Compiler,
  expression: BlockExpression,
): (render: Render, frame: Frame) => boolean {
  const search = compileSearch(compiler, expression)
  return (render, frame) => findBlock(render, frame, search(render, frame)) !== undefined
}

/** Compiles `parent()`: the output of the same block in the parent template. */
export function compileParent(
  _compiler: Compiler,
  { blockName: name, place }: ParentExpression,
): Evaluate {
  return (render, frame) => {
    const execute = () => displayParentBlock(render, frame, { name, place })
    return render.capture(execute, frame)
  }
}

function compileSearch(
  compiler: Compiler,
  expression: BlockExpression,
): (render: Render, frame: Frame) => BlockSearch {
  const { place, template } = expression
  const name = compiler.expression(expression.name)
  const other = template && compiler.expression(template)
  return (render, frame) => ({
    name: toText(name(render, frame)),
    template: other ? loadTemplate(render, other(render, frame), place) : frame.template,
    overrides: other ? [] : frame.overrides,
    place,
  })
}

/** Returns the output of the block, or undefined when there is none. */
function show(render: Render, frame: Frame, search: BlockSearch): string | undefined {
  const block = findBlock(render, frame, search)
  if (block === undefined) return undefined
  const { overrides, place } = search
  const execute = () => displayBlock(render, frame, { block, overrides, place })
  return render.capture(execute, frame)
}
