import { signature } from '../callables/signature.ts'
import { syntaxFault } from '../errors/faults.ts'
import type { Argument, Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import { parseArguments } from './arguments.ts'
import { findSymbol } from './symbols.ts'
import type { TagParser } from './tag.ts'

/** A name that was read already: a variable, or a call where a bracket follows. */
export function parseNamed(parser: TagParser, name: string, place: Place): Expression {
  if (!parser.tokens.test('punctuation', '(')) return { kind: 'name', name, place }
  const macro = findSymbol(parser.module, 'function', name)
  const args = parseArguments(parser)
  if (macro !== undefined) {
    return parser.deepen({ kind: 'macro', source: macro.source, name: macro.macro, args, place })
  }
  const special = specialFunctions.get(name)
  if (special !== undefined) {
    noteFunction(parser, name, place)
    return special(parser, args, place)
  }
  const definition = parser.findFunction(name, place)
  const callee = { type: 'function', name, signature: definition.signature, place } as const
  return parser.deepen({
    kind: 'function',
    definition,
    args: parser.bindArguments(callee, args),
    place,
  })
}

/** Functions that are part of the language: they name blocks or attributes instead of values. */
export const specialFunctionNames: readonly string[] = ['parent', 'block', 'attribute']

type SpecialFunction = (parser: TagParser, args: readonly Argument[], place: Place) => Expression

const specialFunctions = new Map<string, SpecialFunction>([
  ['parent', parseParent],
  ['block', parseBlock],
  ['attribute', parseAttribute],
])

function noteFunction(parser: TagParser, name: string, place: Place): void {
  const { functions } = parser.module.vocabulary
  if (!functions.has(name)) functions.set(name, place)
}

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

const blockSignature = signature('name, template = null')

function parseBlock(parser: TagParser, args: readonly Argument[], place: Place): Expression {
  const callee = { type: 'function', name: 'block', signature: blockSignature, place } as const
  const [name, template] = parser.bindArguments(callee, args).positional
  if (name === undefined) throw syntaxFault('The "block" function needs a name.', place)
  const isGiven = args.length > 1
  return parser.deepen({ kind: 'block', name, template: isGiven ? template : undefined, place })
}

const attributeSignature = signature('variable, attribute, arguments = null')

function parseAttribute(parser: TagParser, args: readonly Argument[], place: Place): Expression {
  const callee = {
    type: 'function',
    name: 'attribute',
    signature: attributeSignature,
    place,
  } as const
  const [target, attribute, given] = parser.bindArguments(callee, args).positional
  if (target === undefined || attribute === undefined) {
    throw syntaxFault('The "attribute" function needs a variable and an attribute.', place)
  }
  return parser.deepen({
    kind: 'attribute',
    target,
    attribute,
    access: 'any',
    args: args.length > 2 && given !== undefined ? [{ value: given, isSpread: true }] : [],
    isNullSafe: false,
    place,
  })
}
