import { isConstant } from '../compiler/constant.ts'
import { varargsName } from '../compiler/macro-call.ts'
import { syntaxFault } from '../errors/faults.ts'
import { checkAssignable } from '../parser/assignment.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'
import type { MacroStatement } from '../syntax/statement.ts'

/** `{% macro input(name, type = "text") %}…{% endmacro %}`. */
export const macroTag: Tag = {
  name: 'macro',
  end: 'endmacro',
  parse(parser, place) {
    const { tokens, module } = parser
    const { value: name } = tokens.expect('name')
    const parameters = parseParameters(parser, name)
    tokens.expect('block end')
    module.scopes.push(new Map())
    try {
      const body = parser.parseBody(['endmacro'], 'macro')
      module.macros.push({ name, place, parameters, body })
    } finally {
      module.scopes.pop()
    }
    tokens.nextIf('name', 'endmacro')
    const closing = tokens.nextIf('name')
    if (closing !== undefined && closing.value !== name) {
      throw syntaxFault(
        `Expected endmacro for macro "${name}" (but "${closing.value}" given).`,
        tokens.place,
      )
    }
    tokens.expect('block end')
    return undefined
  },
}

function parseParameters(parser: TagParser, macro: string): MacroStatement['parameters'] {
  const { tokens } = parser
  tokens.expect('punctuation', '(', 'A list of arguments must begin with an opening parenthesis')
  const parameters: { name: string; fallback: Expression }[] = []
  while (!tokens.test('punctuation', ')')) {
    if (parameters.length > 0) {
      tokens.expect('punctuation', ',', 'Arguments must be separated by a comma')
      if (tokens.test('punctuation', ')')) break
    }
    parameters.push(parseParameter(parser, macro))
  }
  tokens.expect('punctuation', ')', 'A list of arguments must be closed by a parenthesis')
  return parameters
}

function parseParameter(parser: TagParser, macro: string): MacroStatement['parameters'][number] {
  const { tokens } = parser
  const place = tokens.place
  const { value: name } = tokens.expect('name', undefined, 'An argument must be a name')
  checkAssignable(name, place)
  if (name === varargsName) {
    throw syntaxFault(
      `The argument "${varargsName}" in macro "${macro}" cannot be defined because the variable "${varargsName}" is reserved for arbitrary arguments.`,
      place,
    )
  }
  const isGiven = tokens.nextIf('operator', '=') !== undefined
  const fallback: Expression = isGiven
    ? parser.parseExpression()
    : { kind: 'literal', value: null, place }
  if (isConstant(fallback)) return { name, fallback }
  throw syntaxFault(
    'A default value for an argument must be a constant (a boolean, a string, a number, a sequence, or a mapping).',
    place,
  )
}
