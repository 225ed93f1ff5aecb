import type { Expression } from '../syntax/expression.ts'
import { checkAssignable } from './assignment.ts'
import type { TagParser } from './tag.ts'

/** `v => …` or `(v, k) => …`; undefined where no arrow function begins here. */
export function parseArrow(parser: TagParser): Expression | undefined {
  const { tokens } = parser
  const place = tokens.place
  if (tokens.test('name')) {
    const next = tokens.peek()
    if (next.type !== 'operator' || next.value !== '=>') return undefined
    const parameter = parseParameter(parser)
    return finish(parser, [parameter], place)
  }
  if (!tokens.test('punctuation', '(') || !tokens.isArrowAhead()) return undefined
  tokens.next()
  const parameters = [parseParameter(parser)]
  while (tokens.nextIf('punctuation', ',') !== undefined) parameters.push(parseParameter(parser))
  tokens.expect('punctuation', ')')
  return finish(parser, parameters, place)
}

function parseParameter(parser: TagParser): string {
  const place = parser.tokens.place
  const name = parser.tokens.expect('name').value
  checkAssignable(name, place)
  return name
}

function finish(
  parser: TagParser,
  parameters: readonly string[],
  place: Expression['place'],
): Expression {
  parser.tokens.expect('operator', '=>')
  return parser.deepen({ kind: 'arrow', parameters, body: parser.parseExpression(), place })
}
