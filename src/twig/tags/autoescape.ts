import { syntaxFault } from '../errors/faults.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Strategy } from '../syntax/statement.ts'

/** `{% autoescape "js" %}…{% endautoescape %}`; `false` turns escaping off. */
export const autoescapeTag: Tag = {
  name: 'autoescape',
  end: 'endautoescape',
  parse(parser, place) {
    const strategy = parseStrategy(parser)
    parser.tokens.expect('block end')
    const body = parser.parseClosedBody('endautoescape', 'autoescape')
    return {
      place,
      role: 'silent',
      bodies: [body],
      compile: (compiler) => compiler.escapingBy(strategy).body(body),
      visit: (visitor) => visitor.body(body),
    }
  },
}

function parseStrategy(parser: TagParser): Strategy {
  const { tokens } = parser
  if (tokens.test('block end')) return 'html'
  const expression = parser.parseExpression()
  if (expression.kind === 'literal') {
    if (typeof expression.value === 'string') return expression.value
    if (expression.value === true) return 'html'
    if (expression.value === false) return false
  }
  throw syntaxFault('An escaping strategy must be a string or false.', tokens.place)
}
