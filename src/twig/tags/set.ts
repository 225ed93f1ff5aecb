import { syntaxFault } from '../errors/faults.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Statement } from '../syntax/statement.ts'
import { markupOrEmpty } from '../values/markup.ts'
import { parseTargets } from './targets.ts'

/** `{% set a = 1 %}`, `{% set a, b = 1, 2 %}`, `{% set a %}…{% endset %}`. */
export const setTag: Tag = {
  name: 'set',
  end: 'endset',
  hasBody: (header) => !header.some(({ type, value }) => type === 'operator' && value === '='),
  parse(parser, place) {
    const { tokens } = parser
    const names = parseTargets(parser)
    if (tokens.nextIf('operator', '=') !== undefined) {
      const values = parseValues(parser)
      tokens.expect('block end')
      if (values.length === names.length) return setStatement(names, values, place)
      throw syntaxFault(
        'When using set, you must have the same number of variables and assignments.',
        tokens.place,
      )
    }
    const [name = ''] = names
    if (names.length > 1) {
      throw syntaxFault(
        'When using set with a block, you cannot have a multi-target.',
        tokens.place,
      )
    }
    tokens.expect('block end')
    return captureStatement(name, parser.parseClosedBody('endset', 'set'), place)
  },
}

function parseValues(parser: TagParser): Expression[] {
  const values = [parser.parseExpression()]
  while (parser.tokens.nextIf('punctuation', ',') !== undefined) {
    values.push(parser.parseExpression())
  }
  return values
}

function setStatement(
  names: readonly string[],
  values: readonly Expression[],
  place: Place,
): Statement {
  return {
    place,
    role: 'capture',
    compile(compiler) {
      const [name = ''] = names
      const evaluators = values.map((value) => compiler.expression(value))
      const [only] = evaluators
      for (const target of names) compiler.noteAssignment(target)
      if (only !== undefined && names.length === 1) {
        return (render, frame) => frame.set(name, only(render, frame))
      }
      return (render, frame) => {
        // All of them first: `set a, b = b, a` swaps.
        const results = evaluators.map((evaluate) => evaluate(render, frame))
        names.forEach((target, index) => {
          frame.set(target, results[index] ?? null)
        })
      }
    },
    visit(visitor) {
      names.forEach((name, index) => {
        visitor.assign(name, values[index])
      })
    },
  }
}

function captureStatement(name: string, body: Body, place: Place): Statement {
  return {
    place,
    role: 'capture',
    compile(compiler) {
      const execute = compiler.body(body)
      compiler.noteAssignment(name)
      return (render, frame) => frame.set(name, markupOrEmpty(render.capture(execute, frame)))
    },
    visit(visitor) {
      visitor.body(body)
      visitor.assign(name, undefined)
    },
  }
}
