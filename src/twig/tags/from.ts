import { checkAssignable } from '../parser/assignment.ts'
import { addSymbol } from '../parser/symbols.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import { compileImport, importSource } from './import-target.ts'

/** `{% from "forms.twig" import input, area as textarea %}`: macros under names of their own. */
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
      addSymbol(parser.module, alias, { type: 'function', source, macro })
    }
    return {
      place,
      role: 'silent',
      compile: (compiler) => compileImport(compiler, template, { source, place }),
      visit: (visitor) => visitor.reference({ type: 'import', template, place }),
    }
  },
}

function parseImports(parser: TagParser): { macro: string; alias: string }[] {
  const { tokens } = parser
  const imported: { macro: string; alias: string }[] = []
  do {
    const { value: macro } = tokens.expect('name')
    let alias = macro
    let place = tokens.place
    if (tokens.nextIf('name', 'as') !== undefined) {
      place = tokens.place
      alias = tokens.expect('name').value
    }
    checkAssignable(alias, place)
    imported.push({ macro, alias })
  } while (tokens.nextIf('punctuation', ',') !== undefined)
  return imported
}
