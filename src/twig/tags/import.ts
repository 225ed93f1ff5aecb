import { checkAssignable } from '../parser/assignment.ts'
import { addSymbol } from '../parser/symbols.ts'
import type { Tag } from '../parser/tag.ts'
import { compileImport, importSource } from './import-target.ts'

/** `{% import "forms.twig" as forms %}`: the macros of a template, under one name. */
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
    addSymbol(parser.module, alias, { type: 'template', source })
    return {
      place,
      role: 'silent',
      compile: (compiler) => compileImport(compiler, template, { source, place }),
      visit: (visitor) => visitor.reference({ type: 'import', template, place }),
    }
  },
}
