import { syntaxFault } from '../errors/faults.ts'
import { specialFunctionNames } from '../parser/function-calls.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Body } from '../syntax/statement.ts'

/**
 * `{% guard filter slug %}…{% else %}…{% endguard %}`: the body if there is such a filter, function or
 * test. A body without it is parsed, its unknown names let pass, and left out; `else` may have none.
 */
export const guardTag: Tag = {
  name: 'guard',
  end: 'endguard',
  forks: ['else'],
  parse(parser, place) {
    const { tokens } = parser
    const exists = parseGuarded(parser)
    tokens.expect('block end')
    const parseGuardedBody = (): Body => parser.parseBody(['else', 'endguard'], 'guard')
    let body = exists ? parseGuardedBody() : parser.tolerant(parseGuardedBody)
    if (!exists) body = []
    if (tokens.next().value === 'else') {
      tokens.expect('block end')
      const otherwise = parser.parseClosedBody('endguard', 'guard')
      if (!exists) body = otherwise
    } else tokens.expect('block end')
    return {
      place,
      role: 'silent',
      bodies: [body],
      compile: (compiler) => compiler.body(body),
      visit: (visitor) => visitor.body(body),
    }
  },
}

function parseGuarded({ tokens, vocabulary }: TagParser): boolean {
  const typePlace = tokens.place
  const { value: type } = tokens.expect('name')
  if (type !== 'function' && type !== 'filter' && type !== 'test') {
    throw syntaxFault(
      `Supported guard types are function, filter and test, "${type}" given.`,
      typePlace,
    )
  }
  let { value: name } = tokens.expect('name')
  if (type === 'test' && tokens.test('name')) name += ` ${tokens.next().value}`
  if (type === 'filter') return vocabulary.filters.has(name)
  if (type === 'test') return vocabulary.tests.has(name)
  return vocabulary.functions.has(name) || specialFunctionNames.includes(name)
}
