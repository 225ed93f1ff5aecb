import { type Place, syntaxFault } from '../errors.ts'
import { silentStatement } from '../parser/statements.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Statement } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'

/** Creates a statement that evaluates expressions and prints nothing. */
function evaluation(expressions: readonly Expression[], place: Place): Statement {
  return {
    place,
    role: 'silent',
    compile(compiler) {
      const evaluators = expressions.map((expression) => compiler.expression(expression))
      return (render, frame) => {
        for (const evaluate of evaluators) evaluate(render, frame)
      }
    },
    visit(walker) {
      for (const expression of expressions) walker.expression(expression)
    },
  }
}

/** `{% do expression %}`: evaluates an expression and prints nothing. */
export const doTag: Tag = {
  name: 'do',
  parse(parser, place) {
    const expression = parser.parseExpression()
    parser.tokens.expect('block end')
    return evaluation([expression], place)
  },
}

/** `{% deprecated "Use card.twig." package="acme/mail" version="2.1" %}`: a lint warning. */
export const deprecatedTag: Tag = {
  name: 'deprecated',
  parse(parser, place) {
    const message = parser.parseExpression()
    const options = parseOptions(parser)
    parser.tokens.expect('block end')
    if (message.kind === 'literal') parser.warn(toText(message.value), place)
    return evaluation([message, ...options], place)
  },
}

function parseOptions(parser: TagParser): Expression[] {
  const { tokens } = parser
  const options: Expression[] = []
  while (tokens.test('name')) {
    const { value: name } = tokens.next()
    tokens.expect('operator', '=')
    if (name !== 'package' && name !== 'version') {
      throw syntaxFault(`Unknown "${name}" option.`, tokens.place)
    }
    options.push(parser.parseExpression())
  }
  return options
}

/** `{% types { name: "string", age?: "number" } %}`: documents the variables of the template. */
export const typesTag: Tag = {
  name: 'types',
  parse(parser, place) {
    const { tokens } = parser
    const isEnclosed = tokens.nextIf('punctuation', '{') !== undefined
    let isFirst = true
    while (!isAtEnd(parser)) {
      if (!isFirst) {
        tokens.expect('punctuation', ',', 'A type string must be followed by a comma')
        if (isAtEnd(parser)) break
      }
      isFirst = false
      parseType(parser)
    }
    if (isEnclosed) tokens.expect('punctuation', '}', 'An opened mapping is not properly closed')
    tokens.expect('block end')
    return silentStatement(place)
  },
}

function isAtEnd({ tokens }: TagParser): boolean {
  return tokens.test('punctuation', '}') || tokens.test('block end')
}

function parseType({ tokens }: TagParser): void {
  tokens.expect('name')
  if (tokens.nextIf('operator', '?:') === undefined) {
    tokens.nextIf('punctuation', '?')
    tokens.expect('punctuation', ':', 'A type name must be followed by a colon (:)')
  }
  tokens.expect('string')
}

/**
 * `{% flush %}`: does nothing, because the whole output is one string. PHP sends its output buffer.
 */
export const flushTag: Tag = {
  name: 'flush',
  parse(parser, place) {
    parser.tokens.expect('block end')
    return silentStatement(place)
  },
}
