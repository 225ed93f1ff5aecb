import { syntaxFault } from '../errors/faults.ts'
import type { Argument } from '../syntax/expression.ts'
import type { TagParser } from './tag.ts'

/** Arguments in brackets, positional or named (`name: value`, `name = value`), a comma at the end allowed. */
export function parseArguments(parser: TagParser): Argument[] {
  const { tokens } = parser
  tokens.expect('punctuation', '(', 'A list of arguments must begin with an opening parenthesis')
  const args: Argument[] = []
  while (!tokens.test('punctuation', ')')) {
    if (args.length > 0) {
      tokens.expect('punctuation', ',', 'Arguments must be separated by a comma')
      if (tokens.test('punctuation', ')')) break
    }
    const argument = parseArgument(parser)
    if (args.at(-1)?.isSpread && !argument.isSpread) {
      throw syntaxFault(
        'Normal arguments must be placed before argument unpacking.',
        parser.tokens.place,
      )
    }
    args.push(argument)
  }
  tokens.expect('punctuation', ')', 'A list of arguments must be closed by a parenthesis')
  return args
}

function parseArgument(parser: TagParser): Argument {
  const { tokens } = parser
  const next = tokens.peek()
  const isNamed =
    (next.type === 'operator' && next.value === '=') ||
    (next.type === 'punctuation' && next.value === ':')
  if (tokens.test('name') && isNamed) {
    const name = tokens.next().value
    tokens.next()
    return { name, value: parser.parseExpression(), isSpread: false }
  }
  const value = parser.parseExpression()
  if (value.kind === 'unary' && value.operator === '...' && !value.isGrouped) {
    return { value: value.operand, isSpread: true }
  }
  if (tokens.test('operator', '=') || tokens.test('punctuation', ':')) {
    throw syntaxFault('A parameter name must be a name.', tokens.place)
  }
  return { value, isSpread: false }
}
