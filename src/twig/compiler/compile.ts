import { holdsOnlyBlocks } from '../parser/statements.ts'
import type { Block, Macro, Template } from '../runtime/render.ts'
import type { Body, Module, Strategy } from '../syntax/statement.ts'
import { ModuleCompiler } from './compiler.ts'
import { constantValue } from './macros.ts'

/**
 * Compiles a template to closures over its syntax tree.
 *
 * @param strategy the escaping strategy outside of `autoescape` tags
 * @throws TwigError of kind `syntax` for the few errors that the parser cannot detect.
 */
export function compile(module: Module, strategy: Strategy): Template {
  const blocks = new Map<string, Block>()
  const macros = new Map<string, Macro>()
  const holder: { template?: Template } = {}
  const compiler = new ModuleCompiler({
    templateName: module.name,
    strategy,
    defaultStrategy: strategy,
    parts: { blocks, macros, template: () => ready(holder), compileModule: compile },
  })
  compileMacros(compiler, module)
  const body = compileBody(compiler, module)
  const parent =
    module.parent === undefined
      ? undefined
      : { evaluate: compiler.expression(module.parent), place: module.parent.place }
  const isTraitable = parent === undefined && macros.size === 0 && holdsOnlyBlocks(module.body)
  const { name, tokenCount, place, uses, usedNames } = module
  const parts = { body, parent, blocks, macros, uses, isTraitable, usedNames }
  holder.template = { name, tokenCount, place, ...parts }
  return holder.template
}

function ready(holder: { template?: Template }): Template {
  if (holder.template === undefined) throw new Error('A template was used before it was compiled.')
  return holder.template
}

/**
 * A child template prints only whitespace outside of its blocks. That output is discarded: the
 * parent is printed.
 */
function compileBody(compiler: ModuleCompiler, module: Module): Template['body'] {
  if (module.parent === undefined) return compiler.body(module.body)
  const before: Body = module.body.filter(({ role }) => role !== 'block' && role !== 'blank')
  for (const block of module.body) if (block.role === 'block') block.compile(compiler)
  const body = compiler.body(before)
  return (render, frame) => {
    const { out } = render
    body(render, frame)
    render.out = out
  }
}

function compileMacros(compiler: ModuleCompiler, module: Module): void {
  for (const macro of module.macros) {
    compiler.defineMacro({
      name: macro.name,
      parameters: macro.parameters.map(({ name, fallback }) => ({
        name,
        fallback: constantValue(fallback),
      })),
      execute: compiler.isolated().body(macro.body),
    })
  }
}
