import { type Place, syntaxFault } from '../errors.ts'
import { tokenTypeName } from '../lexer/token.ts'
import type { Argument, Expression } from '../syntax/expression.ts'
import { parseArguments } from './calls.ts'
import { findSymbol } from './module-builder.ts'
import type { TagParser } from './tag.ts'

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
  const definition = parser.findFilter(name, place)
  const callee = { type: 'filter', name, signature: definition.signature, place } as const
  return parser.checkDepth({
    kind: 'filter',
    target,
    definition,
    args: parser.bindArguments(callee, args),
    place,
  })
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
  if (token.type === 'number') return { kind: 'literal', value: token.number ?? 0, place }
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
  const imported = findSymbol(parser.module, 'template', target.name)
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
  const definition = parser.findFilter('slice', place)
  const callee = { type: 'filter', name: 'slice', signature: definition.signature, place } as const
  const args = parser.bindArguments(callee, [
    { value: start, isSpread: false },
    { value: length, isSpread: false },
  ])
  return parser.checkDepth({ kind: 'filter', target, definition, args, place })
}
