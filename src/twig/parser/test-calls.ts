import type { TestDefinition } from '../callables/definition.ts'
import { syntaxFault } from '../errors/faults.ts'
import type { Argument, Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import { parseArguments } from './arguments.ts'
import { bareArgumentPrecedence } from './precedence.ts'
import { findSymbol } from './symbols.ts'
import type { TagParser } from './tag.ts'

/** A test behind its `is`: its name of one or two words, and its arguments. */
export function parseTest(parser: TagParser, left: Expression, place: Place): Expression {
  const definition = parseTestName(parser, place)
  const args = parseTestArguments(parser, definition)
  const target = definition.name === 'defined' ? definedTarget(parser, left, place) : left
  const { name, signature } = definition
  const bound = parser.bindArguments({ type: 'test', name, signature, place }, args)
  return parser.deepen({ kind: 'test', target, definition, args: bound, place })
}

function parseTestName(parser: TagParser, place: Place): TestDefinition {
  const { tokens, vocabulary } = parser
  const first = tokens.expect('name').value
  if (!vocabulary.tests.has(first) && tokens.test('name')) {
    const both = `${first} ${tokens.current.value}`
    tokens.next()
    return parser.findTest(both, place)
  }
  return parser.findTest(first, place)
}

function parseTestArguments(parser: TagParser, definition: TestDefinition): Argument[] {
  if (parser.tokens.test('punctuation', '(')) return parseArguments(parser)
  if (!definition.takesBareArgument) return []
  return [{ value: parser.parseExpression(bareArgumentPrecedence), isSpread: false }]
}

/** Whether something is defined can be asked of what a name leads to, not of a computed value. */
function definedTarget(parser: TagParser, target: Expression, place: Place): Expression {
  if (target.kind === 'name') {
    const macro = findSymbol(parser.module, 'function', target.name)
    if (macro === undefined) return target
    return { kind: 'macro', source: macro.source, name: macro.macro, args: [], place: target.place }
  }
  const isConstant = target.kind === 'function' && target.definition.name === 'constant'
  const kinds = ['attribute', 'block', 'literal', 'collection', 'macro']
  if (isConstant || kinds.includes(target.kind)) return target
  throw syntaxFault('The "defined" test only works with simple variables.', place)
}
