import { type Place, syntaxFault } from '../errors.ts'
import { numberOf, tokenTypeName } from '../lexer/token.ts'
import type { Argument, CollectionItem, Expression } from '../syntax/expression.ts'
import { parseArguments, parseNamed } from './calls.ts'
import type { TagParser } from './tag.ts'
import type { ListSyntax } from './token-stream.ts'

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
      return { kind: 'literal', value: numberOf(token), place }
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

const sequence: ListSyntax = {
  brackets: ['[', ']'],
  begin: 'A sequence element was expected',
  comma: 'A sequence element must be followed by a comma',
  end: 'An opened sequence is not properly closed',
}

function parseSequence(parser: TagParser): Expression {
  const { tokens } = parser
  const place = tokens.place
  const items = tokens.list<CollectionItem>(sequence, () =>
    tokens.test('punctuation', ',')
      ? { value: { kind: 'empty', place: tokens.place }, isSpread: false }
      : spreadable(parser.parseExpression()),
  )
  return parser.checkDepth({ kind: 'collection', isMapping: false, items, place })
}

const mapping: ListSyntax = {
  brackets: ['{', '}'],
  begin: 'A mapping element was expected',
  comma: 'A mapping value must be followed by a comma',
  end: 'An opened mapping is not properly closed',
}

function parseMapping(parser: TagParser): Expression {
  const place = parser.tokens.place
  const items = parser.tokens.list<CollectionItem>(mapping, () => parseMappingItem(parser))
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
  if (number !== undefined) return { kind: 'literal', value: numberOf(number), place }
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

/** Parses what follows an operand: any number of attributes, elements, slices and filters. */
export function parsePostfix(parser: TagParser, operand: Expression): Expression {
  const { tokens } = parser
  let expression = operand
  for (;;) {
    if (tokens.test('punctuation', '.')) expression = parseDot(parser, expression)
    else if (tokens.test('operator', '?.')) expression = parseDot(parser, expression)
    else if (tokens.test('punctuation', '[')) expression = parseBracket(parser, expression)
    else if (tokens.nextIf('punctuation', '|') !== undefined) {
      expression = parseFilter(parser, expression)
    } else return expression
  }
}

/** Parses a filter after its bar and applies it to `target`. */
export function parseFilter(parser: TagParser, target: Expression): Expression {
  const { tokens } = parser
  const place = tokens.place
  const { value: name } = tokens.expect('name')
  const args = tokens.test('punctuation', '(') ? parseArguments(parser) : []
  return applyFilter(parser, { name, target, args, place })
}

function applyFilter(
  parser: TagParser,
  filter: { name: string; target: Expression; args: readonly Argument[]; place: Place },
): Expression {
  const { name, target, args, place } = filter
  const call = { kind: 'filter', definition: parser.find('filter', name, place), place } as const
  return parser.checkDepth({ ...call, target, args: parser.bindArguments(call, args) })
}

function parseDot(parser: TagParser, target: Expression): Expression {
  const { tokens } = parser
  const isNullSafe = tokens.next().value === '?.'
  const place = tokens.place
  const attribute = parseAttributeName(parser)
  const hasArguments = tokens.test('punctuation', '(')
  const args = hasArguments ? parseArguments(parser) : []
  const macro = macroCall(parser, { target, attribute, args, place })
  if (macro !== undefined) return macro
  return parser.checkDepth({
    kind: 'attribute',
    target,
    attribute,
    access: hasArguments ? 'method' : 'any',
    args,
    isNullSafe,
    place,
  })
}

/** Parses `.name`, `.0`, or `.("name")` with any expression. */
function parseAttributeName(parser: TagParser): Expression {
  const { tokens } = parser
  const place = tokens.place
  if (tokens.nextIf('punctuation', '(') !== undefined) {
    const attribute = parser.parseExpression()
    tokens.expect('punctuation', ')')
    return attribute
  }
  const token = tokens.next()
  const isWord = token.type === 'operator' && /^[a-zA-Z_]/.test(token.value)
  if (token.type === 'name' || isWord) return { kind: 'literal', value: token.value, place }
  if (token.type === 'number') return { kind: 'literal', value: numberOf(token), place }
  throw syntaxFault(
    `Expected name or number, got value "${token.value}" of type ${tokenTypeName(token.type)}.`,
    place,
  )
}

/** Recognizes `forms.input(…)`, where `forms` was imported, and `_self.input(…)`. */
function macroCall(
  parser: TagParser,
  access: { target: Expression; attribute: Expression; args: readonly Argument[]; place: Place },
): Expression | undefined {
  const { target, attribute, args } = access
  if (target.kind !== 'name' || attribute.kind !== 'literal') return undefined
  if (typeof attribute.value !== 'string') return undefined
  const imported = parser.module.findSymbol('template', target.name)
  const self = { key: '_self', isGlobal: true, alias: '_self' }
  const source = imported?.source ?? (target.name === '_self' ? self : undefined)
  if (source === undefined) return undefined
  return parser.checkDepth({
    kind: 'macro',
    source,
    name: attribute.value,
    args,
    place: target.place,
  })
}

/** Parses `[key]`, or a slice `[start:length]`. Both parts of a slice are optional. */
function parseBracket(parser: TagParser, target: Expression): Expression {
  const { tokens } = parser
  const place = tokens.place
  tokens.next()
  const attribute: Expression = tokens.test('punctuation', ':')
    ? { kind: 'literal', value: 0, place }
    : parser.parseExpression()
  if (tokens.nextIf('punctuation', ':') !== undefined) {
    return parseSlice(parser, { target, start: attribute, place })
  }
  tokens.expect('punctuation', ']')
  return parser.checkDepth({
    kind: 'attribute',
    target,
    attribute,
    access: 'array',
    args: [],
    isNullSafe: false,
    place,
  })
}

function parseSlice(
  parser: TagParser,
  slice: { target: Expression; start: Expression; place: Place },
): Expression {
  const { target, start, place } = slice
  const length: Expression = parser.tokens.test('punctuation', ']')
    ? { kind: 'literal', value: null, place }
    : parser.parseExpression()
  parser.tokens.expect('punctuation', ']')
  const args = [start, length].map((value) => ({ value, isSpread: false }))
  return applyFilter(parser, { name: 'slice', target, args, place })
}
