import { isMainScope } from '../parser/symbols.ts'
import type { TagParser } from '../parser/tag.ts'
import { loadTemplate } from '../runtime/loading.ts'
import type { Execute } from '../runtime/render.ts'
import type { Expression, MacroSource } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Compiler } from '../syntax/statement.ts'

/** Where `import` or `from` keeps the template that it loads. */
export function importSource(parser: TagParser, alias: string, place: Place): MacroSource {
  return {
    key: `${alias}@${place.line}:${place.column}`,
    isGlobal: isMainScope(parser.module),
    alias,
  }
}

/** Loads the template that holds the macros, and keeps it. `_self` is the template itself. */
export function compileImport(
  compiler: Compiler,
  template: Expression,
  { source, place }: { source: MacroSource; place: Place },
): Execute {
  const isSelf = template.kind === 'name' && template.name === '_self'
  const evaluate = isSelf ? undefined : compiler.expression(template)
  return (render, frame) => {
    const loaded =
      evaluate === undefined ? frame.template : loadTemplate(render, evaluate(render, frame), place)
    if (source.isGlobal) render.importsOf(frame.template).set(source.key, loaded)
    else frame.setImport(source.key, loaded)
  }
}
