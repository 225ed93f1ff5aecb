import type { Expression, UnaryOperator } from '../syntax/expression.ts'
import { parseArrow } from './arrows.ts'
import { createAssignment } from './assignment.ts'
import { parseLiteral } from './literals.ts'
import { parsePostfix } from './postfix.ts'
import { binaryOperators, unaryOperators } from './precedence.ts'
import type { TagParser } from './tag.ts'
import { parseTest } from './test-calls.ts'

/** Reads an expression up to the first operator that binds less tightly than `precedence`. */
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
    return parser.deepen({
      kind: 'unary',
      operator: 'not',
      operand: parseTest(parser, left, place),
      place,
    })
  }
  // It is the function, for the sandbox too.
  if (operator === '..') parser.findFunction('range', place)
  const binding = binaryOperators.get(operator)
  const precedence = binding?.precedence ?? 0
  const right = parser.parseExpression(binding?.isRightAssociative ? precedence : precedence + 1)
  if (operator === 'matches' && right.kind === 'literal') {
    const pattern = parser.compilePattern(right)
    return parser.deepen({ kind: 'binary', operator, left, right, pattern, place })
  }
  if (operator === '**') return power(parser, left, right)
  return parser.deepen({ kind: 'binary', operator, left, right, place })
}

/** `-a ** b` is `-(a ** b)`, as in PHP, though a sign binds more tightly than all else. */
function power(parser: TagParser, left: Expression, right: Expression): Expression {
  const { place } = left
  if (left.kind !== 'unary' || left.operator === 'not' || left.isGrouped) {
    return parser.deepen({ kind: 'binary', operator: '**', left, right, place })
  }
  const operand = power(parser, left.operand, right)
  return parser.deepen({ kind: 'unary', operator: left.operator, operand, place })
}

/** A literal, a name, something in brackets, or any of them behind a unary operator. */
function parseOperand(parser: TagParser): Expression {
  const { tokens } = parser
  const place = tokens.place
  const binding = tokens.test('operator') ? unaryOperators.get(tokens.current.value) : undefined
  if (binding !== undefined) {
    const operator = tokens.next().value as UnaryOperator
    const operand = parser.parseExpression(binding)
    return parsePostfix(parser, parser.deepen({ kind: 'unary', operator, operand, place }))
  }
  if (tokens.nextIf('punctuation', '(') === undefined) {
    return parsePostfix(parser, parseLiteral(parser))
  }
  const expression = parser.parseExpression()
  tokens.expect('punctuation', ')', 'An opened parenthesis is not properly closed')
  return parsePostfix(parser, { ...expression, isGrouped: true })
}

/** `a ? b : c`, and `a ? b`, which is nothing where a is false. */
function parseConditional(parser: TagParser, first: Expression): Expression {
  const { tokens } = parser
  let test = first
  while (tokens.test('punctuation', '?')) {
    const place = tokens.place
    tokens.next()
    // `a ? : b` with a blank between is the Elvis operator too.
    if (tokens.nextIf('punctuation', ':') !== undefined) {
      const right = parser.parseExpression()
      test = parser.deepen({ kind: 'binary', operator: '?:', left: test, right, place })
      continue
    }
    const then = parser.parseExpression()
    const otherwise: Expression =
      tokens.nextIf('punctuation', ':') === undefined
        ? { kind: 'literal', value: '', place }
        : parser.parseExpression()
    test = parser.deepen({ kind: 'conditional', test, then, otherwise, place })
  }
  return test
}

/** `a = b`, where a is a variable or variables in brackets. */
function parseAssignment(parser: TagParser, left: Expression): Expression {
  if (left.kind !== 'name' && left.kind !== 'collection') return left
  if (parser.tokens.nextIf('operator', '=') === undefined) return left
  return createAssignment(parser, left, parser.parseExpression())
}
