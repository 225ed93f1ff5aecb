import { syntaxFault } from '../errors/faults.ts'
import { parseArguments } from '../parser/arguments.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'

/** `{% cache "key" ttl(300) tags("a") %}…{% endcache %}`: nothing is kept, the body is rendered each time. */
export const cacheTag: Tag = {
  name: 'cache',
  end: 'endcache',
  parse(parser, place) {
    const key = parser.parseExpression()
    const options = parseOptions(parser)
    parser.tokens.expect('block end')
    const body = parser.parseClosedBody('endcache', 'cache')
    return {
      place,
      role: 'silent',
      bodies: [body],
      compile: (compiler) => compiler.body(body),
      visit(visitor) {
        for (const expression of [key, ...options]) visitor.expression(expression)
        visitor.body(body)
      },
    }
  },
}

function parseOptions(parser: TagParser): Expression[] {
  const { tokens } = parser
  const options: Expression[] = []
  while (tokens.test('name')) {
    const place = tokens.place
    const { value: name } = tokens.next()
    if (name !== 'ttl' && name !== 'tags') {
      throw syntaxFault(`Unknown "${name}" configuration.`, place)
    }
    const args = parseArguments(parser)
    const [only] = args
    if (only === undefined || args.length > 1) {
      throw syntaxFault(
        `The "${name}" modifier takes exactly one argument (${args.length} given).`,
        place,
      )
    }
    options.push(only.value)
  }
  return options
}
