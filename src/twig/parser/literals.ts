import { syntaxFault } from '../errors.ts'
import { tokenTypeName } from '../lexer/token.ts'
import type { CollectionItem, Expression } from '../syntax/expression.ts'
import { parseNamed } from './calls.ts'
import type { TagParser } from './tag.ts'

const constants = new Map<string, boolean | null>([
  ['true', true],
  ['TRUE', true],
  ['false', false],
  ['FALSE', false],
  ['none', null],
  ['NONE', null],
  ['null', null],
  ['NULL', null],
])

/** Parses a constant, a name or call, a string, a number, a sequence or a mapping. */
export function parseLiteral(parser: TagParser): Expression {
  const { tokens } = parser
  const token = tokens.current
  const place = tokens.place
  switch (token.type) {
    case 'name': {
      tokens.next()
      const constant = constants.get(token.value)
      if (constant !== undefined && !tokens.test('punctuation', '(')) {
        return { kind: 'literal', value: constant, place }
      }
      return parseNamed(parser, token.value, place)
    }
    case 'number':
      tokens.next()
      return { kind: 'literal', value: token.number ?? 0, place }
    case 'string':
    case 'interpolation start':
      return parseString(parser)
    case 'operator':
      // A word operator such as `matches` is a variable name where an operand is expected.
      if (!/^[a-z][a-z-]*$/.test(token.value)) break
      tokens.next()
      return parseNamed(parser, token.value, place)
    default:
      if (tokens.test('punctuation', '[')) return parseSequence(parser)
      if (tokens.test('punctuation', '{')) return parseMapping(parser)
  }
  throw syntaxFault(
    `Unexpected token "${tokenTypeName(token.type)}" of value "${token.value}".`,
    place,
  )
}

/** Parses a string with its interpolations `#{…}`. */
function parseString(parser: TagParser): Expression {
  const { tokens } = parser
  const place = tokens.place
  let whole: Expression | undefined
  let canBeText = true
  for (;;) {
    const partPlace = tokens.place
    let part: Expression
    const text = canBeText ? tokens.nextIf('string') : undefined
    if (text !== undefined) {
      part = { kind: 'literal', value: text.value, place: partPlace }
      canBeText = false
    } else if (tokens.nextIf('interpolation start') !== undefined) {
      part = parser.parseExpression()
      tokens.expect('interpolation end')
      canBeText = true
    } else {
      return whole ?? { kind: 'literal', value: '', place }
    }
    whole =
      whole === undefined
        ? part
        : parser.checkDepth({
            kind: 'binary',
            operator: '~',
            left: whole,
            right: part,
            place: part.place,
          })
  }
}

function parseSequence(parser: TagParser): Expression {
  const { tokens } = parser
  const place = tokens.place
  tokens.expect('punctuation', '[', 'A sequence element was expected')
  const items: CollectionItem[] = []
  while (!tokens.test('punctuation', ']')) {
    if (items.length > 0) {
      tokens.expect('punctuation', ',', 'A sequence element must be followed by a comma')
      if (tokens.test('punctuation', ']')) break
    }
    if (tokens.test('punctuation', ',')) {
      items.push({ value: { kind: 'empty', place: tokens.place }, isSpread: false })
    } else {
      items.push(spreadable(parser.parseExpression()))
    }
  }
  tokens.expect('punctuation', ']', 'An opened sequence is not properly closed')
  return parser.checkDepth({ kind: 'collection', isMapping: false, items, place })
}

function parseMapping(parser: TagParser): Expression {
  const { tokens } = parser
  const place = tokens.place
  tokens.expect('punctuation', '{', 'A mapping element was expected')
  const items: CollectionItem[] = []
  while (!tokens.test('punctuation', '}')) {
    if (items.length > 0) {
      tokens.expect('punctuation', ',', 'A mapping value must be followed by a comma')
      if (tokens.test('punctuation', '}')) break
    }
    items.push(parseMappingItem(parser))
  }
  tokens.expect('punctuation', '}', 'An opened mapping is not properly closed')
  return parser.checkDepth({ kind: 'collection', isMapping: true, items, place })
}

function parseMappingItem(parser: TagParser): CollectionItem {
  const { tokens } = parser
  if (tokens.test('operator', '...')) return spreadable(parser.parseExpression())
  const place = tokens.place
  const name = tokens.nextIf('name')
  let key: Expression
  if (name !== undefined) {
    key = { kind: 'literal', value: name.value, place }
    // {a} is short for {a: a}.
    if (tokens.test('punctuation', ',') || tokens.test('punctuation', '}')) {
      return { key, value: { kind: 'name', name: name.value, place }, isSpread: false }
    }
  } else {
    key = parseMappingKey(parser)
  }
  tokens.expect('punctuation', ':', 'A mapping key must be followed by a colon (:)')
  return { key, value: parser.parseExpression(), isSpread: false }
}

function parseMappingKey(parser: TagParser): Expression {
  const { tokens } = parser
  const place = tokens.place
  const text = tokens.nextIf('string')
  if (text !== undefined) return { kind: 'literal', value: text.value, place }
  const number = tokens.nextIf('number')
  if (number !== undefined) return { kind: 'literal', value: number.number ?? 0, place }
  if (tokens.test('punctuation', '(')) return parser.parseExpression()
  const { type, value } = tokens.current
  throw syntaxFault(
    `A mapping key must be a quoted string, a number, a name, or an expression enclosed in parentheses (unexpected token "${tokenTypeName(type)}" of value "${value}".`,
    place,
  )
}

/** Creates an item of a collection. `...a` spreads a collection. */
function spreadable(expression: Expression): CollectionItem {
  if (expression.kind === 'unary' && expression.operator === '...' && !expression.isGrouped) {
    return { value: expression.operand, isSpread: true }
  }
  return { value: expression, isSpread: false }
}
