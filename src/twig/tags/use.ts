import { syntaxFault } from '../errors/faults.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Statement } from '../syntax/statement.ts'
import { toText } from '../values/text.ts'

/** `{% use "blocks.twig" %}`, `{% use "blocks.twig" with title as old_title %}`. */
export const useTag: Tag = {
  name: 'use',
  parse(parser, place) {
    const { tokens } = parser
    const template = parser.parseExpression()
    if (template.kind !== 'literal') {
      throw syntaxFault(
        'The template references in a "use" statement must be a string.',
        tokens.place,
      )
    }
    const aliases = tokens.nextIf('name', 'with') === undefined ? new Map() : parseAliases(parser)
    tokens.expect('block end')
    const templateName = toText(template.value)
    parser.module.uses.push({ templateName, place: template.place, aliases })
    return useStatement(template, place)
  },
}

function parseAliases(parser: TagParser): Map<string, string> {
  const { tokens } = parser
  const aliases = new Map<string, string>()
  do {
    const { value: name } = tokens.expect('name')
    const alias = tokens.nextIf('name', 'as') === undefined ? name : tokens.expect('name').value
    aliases.set(name, alias)
  } while (tokens.nextIf('punctuation', ',') !== undefined)
  return aliases
}

/** The module knows what it uses; the statement is there to be visited. */
function useStatement(template: Expression, place: Place): Statement {
  return {
    place,
    role: 'blank',
    text: '',
    compile: () => () => {},
    visit: (visitor) => visitor.reference({ type: 'use', template, place }),
  }
}
