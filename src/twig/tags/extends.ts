import { syntaxFault } from '../errors/faults.ts'
import { isMainScope } from '../parser/symbols.ts'
import type { Tag } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Statement } from '../syntax/statement.ts'

/** `{% extends "base.twig" %}`. */
export const extendsTag: Tag = {
  name: 'extends',
  parse(parser, place) {
    const { tokens, module } = parser
    if (module.openBlocks.length > 0) throw syntaxFault('Cannot use "extend" in a block.', place)
    if (!isMainScope(module)) throw syntaxFault('Cannot use "extend" in a macro.', place)
    const parent = parser.parseExpression()
    if (module.parent !== undefined) {
      throw syntaxFault('Multiple extends tags are forbidden.', parent.place)
    }
    module.parent = parent
    tokens.expect('block end')
    return extendsStatement(parent, place)
  },
}

/** The module knows its parent; the statement is there to be visited. */
function extendsStatement(parent: Expression, place: Place): Statement {
  return {
    place,
    role: 'silent',
    compile: () => () => {},
    visit: (visitor) => visitor.reference({ type: 'extends', template: parent, place }),
  }
}
