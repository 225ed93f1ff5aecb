import { syntaxFault } from '../errors/faults.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'
import { toText } from '../values/text.ts'

/** `{% deprecated "Use card.twig." package="acme/mail" version="2.1" %}`: told when linting. */
export const deprecatedTag: Tag = {
  name: 'deprecated',
  parse(parser, place) {
    const message = parser.parseExpression()
    const options = parseOptions(parser)
    parser.tokens.expect('block end')
    if (message.kind === 'literal') parser.warn(toText(message.value), place)
    return {
      place,
      role: 'silent',
      compile(compiler) {
        const evaluators = [message, ...options].map((option) => compiler.expression(option))
        return (render, frame) => {
          for (const evaluate of evaluators) evaluate(render, frame)
        }
      },
      visit(visitor) {
        for (const expression of [message, ...options]) visitor.expression(expression)
      },
    }
  },
}

function parseOptions(parser: TagParser): Expression[] {
  const { tokens } = parser
  const options: Expression[] = []
  while (tokens.test('name')) {
    const { value: name } = tokens.next()
    tokens.expect('operator', '=')
    if (name !== 'package' && name !== 'version') {
      throw syntaxFault(`Unknown "${name}" option.`, tokens.place)
    }
    options.push(parser.parseExpression())
  }
  return options
}
