import { type Place, syntaxFault } from '../errors.ts'
import type {
  CollectionExpression,
  CollectionItem,
  DestructureExpression,
  Expression,
  UnaryOperator,
} from '../syntax/expression.ts'
import type { Value } from '../values/value.ts'
import { parseTest } from './calls.ts'
import { parseLiteral, parsePostfix } from './operand.ts'
import type { TagParser } from './tag.ts'

/** Parses an expression up to the first operator that binds less tightly than `precedence`. */
export function parseExpression(parser: TagParser, precedence: number): Expression {
  const arrow = parseArrow(parser)
  if (arrow !== undefined) return arrow
  let expression = parseOperand(parser)
  for (;;) {
    const operator = parser.tokens.test('operator') ? parser.tokens.current.value : ''
    const binding = binaryOperators.get(operator)
    if (binding === undefined || binding.precedence < precedence) break
    expression = parseBinary(parser, expression, operator)
  }
  if (precedence > 0) return expression
  return parseAssignment(parser, parseConditional(parser, expression))
}

function parseBinary(parser: TagParser, left: Expression, operator: string): Expression {
  const place = parser.tokens.place
  parser.tokens.next()
  if (operator === 'is') return parseTest(parser, left, place)
  if (operator === 'is not') {
    return parser.checkDepth({
      kind: 'unary',
      operator: 'not',
      operand: parseTest(parser, left, place),
      place,
    })
  }
  // The operator is the function, also for the sandbox.
  if (operator === '..') parser.find('function', 'range', place)
  const binding = binaryOperators.get(operator)
  const precedence = binding?.precedence ?? 0
  const right = parser.parseExpression(binding?.isRightAssociative ? precedence : precedence + 1)
  if (operator === 'matches' && right.kind === 'literal') {
    const pattern = parser.compilePattern(right)
    return parser.checkDepth({ kind: 'binary', operator, left, right, pattern, place })
  }
  if (operator === '**') return power(parser, left, right)
  return parser.checkDepth({ kind: 'binary', operator, left, right, place })
}

/**
 * Parses `-a ** b` as `-(a ** b)`, like PHP, although a sign binds more tightly than every other
 * operator.
 */
function power(parser: TagParser, left: Expression, right: Expression): Expression {
  const { place } = left
  if (left.kind !== 'unary' || left.operator === 'not' || left.isGrouped) {
    return parser.checkDepth({ kind: 'binary', operator: '**', left, right, place })
  }
  const operand = power(parser, left.operand, right)
  return parser.checkDepth({ kind: 'unary', operator: left.operator, operand, place })
}

/** Parses a literal, a name or a group in parentheses, with its unary operators. */
function parseOperand(parser: TagParser): Expression {
  const { tokens } = parser
  const place = tokens.place
  const binding = tokens.test('operator') ? unaryOperators.get(tokens.current.value) : undefined
  if (binding !== undefined) {
    const operator = tokens.next().value as UnaryOperator
    const operand = parser.parseExpression(binding)
    return parsePostfix(parser, parser.checkDepth({ kind: 'unary', operator, operand, place }))
  }
  if (tokens.nextIf('punctuation', '(') === undefined) {
    return parsePostfix(parser, parseLiteral(parser))
  }
  const expression = parser.parseExpression()
  tokens.expect('punctuation', ')', 'An opened parenthesis is not properly closed')
  return parsePostfix(parser, { ...expression, isGrouped: true })
}

/** Parses `a ? b : c`, and `a ? b`, which is an empty string when a is false. */
function parseConditional(parser: TagParser, first: Expression): Expression {
  const { tokens } = parser
  let test = first
  while (tokens.test('punctuation', '?')) {
    const place = tokens.place
    tokens.next()
    // `a ? : b` with a space is the Elvis operator as well.
    if (tokens.nextIf('punctuation', ':') !== undefined) {
      const right = parser.parseExpression()
      test = parser.checkDepth({ kind: 'binary', operator: '?:', left: test, right, place })
      continue
    }
    const then = parser.parseExpression()
    const otherwise: Expression =
      tokens.nextIf('punctuation', ':') === undefined
        ? { kind: 'literal', value: '', place }
        : parser.parseExpression()
    test = parser.checkDepth({ kind: 'conditional', test, then, otherwise, place })
  }
  return test
}

/** Parses `a = value`, `[a, b] = value` or `{a, key: b} = value`. */
function parseAssignment(parser: TagParser, left: Expression): Expression {
  if (left.kind !== 'name' && left.kind !== 'collection') return left
  if (parser.tokens.nextIf('operator', '=') === undefined) return left
  const value = parser.parseExpression()
  const { place } = left
  if (left.kind === 'name') {
    checkAssignable(left.name, place)
    return parser.checkDepth({ kind: 'assign', name: left.name, value, place })
  }
  const { isMapping } = left
  const targets = left.items.map((item, index) => destructureTarget(left, item, index))
  return parser.checkDepth({ kind: 'destructure', isMapping, targets, value, place })
}

const constants = new Set(['true', 'false', 'none', 'null'])

/** Throws when a name is a constant and cannot be a variable. */
export function checkAssignable(name: string, place: Place): void {
  if (constants.has(name.toLowerCase())) {
    throw syntaxFault(`You cannot assign a value to "${name}".`, place)
  }
}

function destructureTarget(
  left: CollectionExpression,
  item: CollectionItem,
  index: number,
): DestructureExpression['targets'][number] {
  const { value, key } = item
  if (value.kind === 'empty' && !left.isMapping) return { key: index, name: undefined }
  if (value.kind !== 'name' || item.isSpread) {
    const what = left.isMapping ? 'object/mapping' : 'sequence'
    throw syntaxFault(`Only variables can be assigned to in ${what} destructuring.`, value.place)
  }
  checkAssignable(value.name, value.place)
  return { key: left.isMapping ? constantKey(key, value.place) : index, name: value.name }
}

function constantKey(key: Expression | undefined, place: Place): Value {
  if (key?.kind === 'literal') return key.value
  throw syntaxFault('Only constant keys can be read in object/mapping destructuring.', place)
}

/** The precedence of a binary operator, and its associativity. */
interface BinaryPrecedence {
  readonly precedence: number
  readonly isRightAssociative?: boolean
}

const levels: [precedence: number, operators: string[]][] = [
  [10, ['or']],
  [12, ['xor']],
  [15, ['and']],
  [16, ['b-or']],
  [17, ['b-xor']],
  [18, ['b-and']],
  [20, ['==', '!=', '<=>', '<', '>', '>=', '<=', '===', '!==', 'not in', 'in']],
  [20, ['matches', 'starts with', 'ends with', 'has some', 'has every']],
  [25, ['..']],
  [30, ['+', '-']],
  [40, ['~']],
  [60, ['*', '/', '//', '%']],
  [100, ['is', 'is not']],
]

/** Twig 3's binary operators, weakest first. */
const binaryOperators: ReadonlyMap<string, BinaryPrecedence> = new Map([
  ['?:', { precedence: 5, isRightAssociative: true }],
  ...levels.flatMap(([precedence, operators]) =>
    operators.map((operator): [string, BinaryPrecedence] => [operator, { precedence }]),
  ),
  ['**', { precedence: 200, isRightAssociative: true }],
  ['??', { precedence: 300, isRightAssociative: true }],
])

/** The minimum precedence of a unary operator's operand. */
const unaryOperators: ReadonlyMap<string, number> = new Map([
  ['not', 50],
  ['-', 500],
  ['+', 500],
  ['...', 0],
])

/**
 * Parses `v => …` or `(v, k) => …`. Returns undefined when the next tokens are no arrow function.
 */
function parseArrow(parser: TagParser): Expression | undefined {
  const { tokens } = parser
  const place = tokens.place
  if (tokens.test('name')) {
    if (!tokens.test('operator', '=>', 1)) return undefined
    return finish(parser, [parseParameter(parser)], place)
  }
  if (!tokens.test('punctuation', '(') || !tokens.isArrowAhead()) return undefined
  tokens.next()
  const parameters = tokens.separated(() => parseParameter(parser))
  tokens.expect('punctuation', ')')
  return finish(parser, parameters, place)
}

function parseParameter(parser: TagParser): string {
  const place = parser.tokens.place
  const name = parser.tokens.expect('name').value
  checkAssignable(name, place)
  return name
}

function finish(parser: TagParser, parameters: readonly string[], place: Place): Expression {
  parser.tokens.expect('operator', '=>')
  return parser.checkDepth({ kind: 'arrow', parameters, body: parser.parseExpression(), place })
}
