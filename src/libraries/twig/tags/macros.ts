import { isConstant, varargsName } from '../compiler/macros.ts'
import { type Place, syntaxFault } from '../errors.ts'
import { argumentList } from '../parser/calls.ts'
import { checkAssignable } from '../parser/expressions.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import { loadTemplate } from '../runtime/loading.ts'
import type { Expression, MacroSource } from '../syntax/expression.ts'
import type { MacroStatement, Statement } from '../syntax/statement.ts'

/** `{% macro input(name, type = "text") %}…{% endmacro %}`. */
export const macroTag: Tag = {
  name: 'macro',
  end: 'endmacro',
  parse(parser, place) {
    const { tokens, module } = parser
    const { value: name } = tokens.expect('name')
    const parameters = tokens.list(argumentList, () => parseParameter(parser, name))
    tokens.expect('block end')
    const body = module.inScope(() => parser.parseBody(['endmacro'], 'macro'))
    // Lint reports what a macro reads, also when its end is missing.
    module.macros.push({ name, place, parameters, body })
    parser.closeBody('macro', name)
    return undefined
  },
}

function parseParameter(parser: TagParser, macro: string): MacroStatement['parameters'][number] {
  const { tokens } = parser
  const place = tokens.place
  const { value: name } = tokens.expect('name', undefined, 'An argument must be a name')
  checkAssignable(name, place)
  if (name === varargsName) {
    throw syntaxFault(
      `The argument "${varargsName}" in macro "${macro}" cannot be defined because the variable "${varargsName}" is reserved for arbitrary arguments.`,
      place,
    )
  }
  const isGiven = tokens.nextIf('operator', '=') !== undefined
  const fallback: Expression = isGiven
    ? parser.parseExpression()
    : { kind: 'literal', value: null, place }
  if (isConstant(fallback)) return { name, fallback }
  throw syntaxFault(
    'A default value for an argument must be a constant (a boolean, a string, a number, a sequence, or a mapping).',
    place,
  )
}

/** `{% import "forms.twig" as forms %}`: imports all macros of a template under one name. */
export const importTag: Tag = {
  name: 'import',
  parse(parser, place) {
    const { tokens } = parser
    const template = parser.parseExpression()
    tokens.expect('name', 'as')
    const aliasPlace = tokens.place
    const { value: alias } = tokens.expect('name')
    checkAssignable(alias, aliasPlace)
    tokens.expect('block end')
    const source = importSource(parser, alias, place)
    parser.module.addSymbol(alias, { type: 'template', source })
    return importStatement(template, source, place)
  },
}

/**
 * `{% from "forms.twig" import input, area as textarea %}`: imports macros under their own names.
 */
export const fromTag: Tag = {
  name: 'from',
  parse(parser, place) {
    const { tokens } = parser
    const template = parser.parseExpression()
    tokens.expect('name', 'import')
    const imported = parseImports(parser)
    tokens.expect('block end')
    const source = importSource(parser, '', place)
    for (const { macro, alias } of imported) {
      parser.module.addSymbol(alias, { type: 'function', source, macro })
    }
    return importStatement(template, source, place)
  },
}

function parseImports({ tokens }: TagParser): { macro: string; alias: string }[] {
  return tokens.separated(() => {
    const { value: macro } = tokens.expect('name')
    const isRenamed = tokens.nextIf('name', 'as') !== undefined
    const place = tokens.place
    const alias = isRenamed ? tokens.expect('name').value : macro
    checkAssignable(alias, place)
    return { macro, alias }
  })
}

/** Creates the source of an import, which says where the loaded template is kept. */
function importSource(parser: TagParser, alias: string, place: Place): MacroSource {
  return {
    key: `${alias}@${place.line}:${place.column}`,
    isGlobal: parser.module.isMainScope(),
    alias,
  }
}

/** Creates a statement that loads and keeps the imported template. `_self` is the template itself. */
function importStatement(template: Expression, source: MacroSource, place: Place): Statement {
  const isSelf = template.kind === 'name' && template.name === '_self'
  return {
    place,
    role: 'silent',
    compile(compiler) {
      const evaluate = isSelf ? undefined : compiler.expression(template)
      return (render, frame) => {
        const loaded = evaluate
          ? loadTemplate(render, evaluate(render, frame), place)
          : frame.template
        if (source.isGlobal) render.importsOf(frame.template).set(source.key, loaded)
        else frame.setImport(source.key, loaded)
      }
    },
    visit: (walker) => walker.reference({ type: 'import', template, place }),
  }
}
