import { signature, type TestDefinition } from '../callables/definition.ts'
import { type Place, syntaxFault } from '../errors.ts'
import type { Argument, Expression } from '../syntax/expression.ts'
import type { TagParser } from './tag.ts'
import type { ListSyntax } from './token-stream.ts'

/** Parses what follows a name: a call when there is an opening bracket, else a variable. */
export function parseNamed(parser: TagParser, name: string, place: Place): Expression {
  if (!parser.tokens.test('punctuation', '(')) return { kind: 'name', name, place }
  const macro = parser.module.findSymbol('function', name)
  const args = parseArguments(parser)
  if (macro !== undefined) {
    return parser.checkDepth({
      kind: 'macro',
      source: macro.source,
      name: macro.macro,
      args,
      place,
    })
  }
  const special = specialFunctions.get(name)
  if (special !== undefined) {
    parser.module.recordUse('function', name, place)
    return special(parser, args, place)
  }
  const definition = parser.find('function', name, place)
  const call = { kind: 'function', definition, place } as const
  return parser.checkDepth({ ...call, args: parser.bindArguments(call, args) })
}

type SpecialFunction = (parser: TagParser, args: readonly Argument[], place: Place) => Expression

/** Functions that the parser handles itself, because they name blocks or attributes. */
const specialFunctions = new Map<string, SpecialFunction>([
  ['parent', parseParent],
  ['block', parseBlock],
  ['attribute', parseAttribute],
])
export const specialFunctionNames: readonly string[] = [...specialFunctions.keys()]

function parseParent(parser: TagParser, _args: readonly Argument[], place: Place): Expression {
  const blockName = parser.module.openBlocks.at(-1)
  if (blockName === undefined) {
    throw syntaxFault('Calling the "parent" function outside of a block is forbidden.', place)
  }
  if (parser.module.parent === undefined && parser.module.uses.length === 0) {
    throw syntaxFault(
      'Calling the "parent" function on a template that does not call "extends" or "use" is forbidden.',
      place,
    )
  }
  return { kind: 'parent', blockName, place }
}

const blockDefinition = { name: 'block', signature: signature('name, template = null') }

function parseBlock(parser: TagParser, args: readonly Argument[], place: Place): Expression {
  const call = { kind: 'function', definition: blockDefinition, place } as const
  const [name, template] = parser.bindArguments(call, args).positional
  if (name === undefined) throw syntaxFault('The "block" function needs a name.', place)
  const isGiven = args.length > 1
  return parser.checkDepth({ kind: 'block', name, template: isGiven ? template : undefined, place })
}

const attributeDefinition = {
  name: 'attribute',
  signature: signature('variable, attribute, arguments = null'),
}

function parseAttribute(parser: TagParser, args: readonly Argument[], place: Place): Expression {
  const call = { kind: 'function', definition: attributeDefinition, place } as const
  const [target, attribute, given] = parser.bindArguments(call, args).positional
  if (target === undefined || attribute === undefined) {
    throw syntaxFault('The "attribute" function needs a variable and an attribute.', place)
  }
  return parser.checkDepth({
    kind: 'attribute',
    target,
    attribute,
    access: 'any',
    args: args.length > 2 && given !== undefined ? [{ value: given, isSpread: true }] : [],
    isNullSafe: false,
    place,
  })
}

/** An argument without parentheses ends before any weaker operator. */
const bareArgumentPrecedence = 100

/** Parses a test after `is`: its name of one or two words, and its arguments. */
export function parseTest(parser: TagParser, left: Expression, place: Place): Expression {
  const definition = parseTestName(parser, place)
  const args = parseTestArguments(parser, definition)
  const target = definition.name === 'defined' ? definedTarget(parser, left, place) : left
  const call = { kind: 'test', definition, place } as const
  return parser.checkDepth({ ...call, target, args: parser.bindArguments(call, args) })
}

function parseTestName(parser: TagParser, place: Place): TestDefinition {
  const { tokens, vocabulary } = parser
  let name = tokens.expect('name').value
  if (!vocabulary.test.has(name) && tokens.test('name')) name += ` ${tokens.next().value}`
  return parser.find('test', name, place)
}

function parseTestArguments(parser: TagParser, definition: TestDefinition): Argument[] {
  if (parser.tokens.test('punctuation', '(')) return parseArguments(parser)
  if (!definition.takesBareArgument) return []
  return [{ value: parser.parseExpression(bareArgumentPrecedence), isSpread: false }]
}

/** `is defined` accepts variables, attributes, blocks and macros, but no computed values. */
function definedTarget(parser: TagParser, target: Expression, place: Place): Expression {
  if (target.kind === 'name') {
    const macro = parser.module.findSymbol('function', target.name)
    if (macro === undefined) return target
    return { kind: 'macro', source: macro.source, name: macro.macro, args: [], place: target.place }
  }
  const isConstant = target.kind === 'function' && target.definition.name === 'constant'
  const kinds = ['attribute', 'block', 'literal', 'collection', 'macro']
  if (isConstant || kinds.includes(target.kind)) return target
  throw syntaxFault('The "defined" test only works with simple variables.', place)
}

export const argumentList: ListSyntax = {
  brackets: ['(', ')'],
  begin: 'A list of arguments must begin with an opening parenthesis',
  comma: 'Arguments must be separated by a comma',
  end: 'A list of arguments must be closed by a parenthesis',
}

/** Parses arguments in parentheses: positional or named (`name: value`, `name = value`). */
export function parseArguments(parser: TagParser): Argument[] {
  return parser.tokens.list<Argument>(argumentList, (before) => {
    const argument = parseArgument(parser)
    if (!before?.isSpread || argument.isSpread) return argument
    throw syntaxFault(
      'Normal arguments must be placed before argument unpacking.',
      parser.tokens.place,
    )
  })
}

function parseArgument(parser: TagParser): Argument {
  const { tokens } = parser
  const isNamed = tokens.test('operator', '=', 1) || tokens.test('punctuation', ':', 1)
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
