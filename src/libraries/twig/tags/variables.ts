import { type Place, runtimeFault, syntaxFault } from '../errors.ts'
import { checkAssignable } from '../parser/expressions.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import { variablesOf } from '../runtime/inheritance.ts'
import { Frame } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Body, Statement } from '../syntax/statement.ts'
import { isCollection } from '../values/collections.ts'
import { markupOrEmpty } from '../values/value.ts'

/** `{% set a = 1 %}`, `{% set a, b = 1, 2 %}` or `{% set a %}…{% endset %}`. */
export const setTag: Tag = {
  name: 'set',
  end: 'endset',
  hasBody: (header) => !header.some(({ type, value }) => type === 'operator' && value === '='),
  parse(parser, place) {
    const { tokens } = parser
    const names = parseTargets(parser)
    if (tokens.nextIf('operator', '=') !== undefined) {
      const values = tokens.separated(() => parser.parseExpression())
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
    return captureStatement(name, parser.parseClosedBody('set'), place)
  },
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
      for (const target of names) compiler.recordAssignment(target)
      if (only !== undefined && names.length === 1) {
        return (render, frame) => frame.set(name, only(render, frame))
      }
      return (render, frame) => {
        // All values are evaluated first, so that `set a, b = b, a` swaps.
        const results = evaluators.map((evaluate) => evaluate(render, frame))
        names.forEach((target, index) => {
          frame.set(target, results[index] ?? null)
        })
      }
    },
    visit(walker) {
      names.forEach((name, index) => {
        walker.assign(name, values[index])
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
      compiler.recordAssignment(name)
      return (render, frame) => frame.set(name, markupOrEmpty(render.capture(execute, frame)))
    },
    visit(walker) {
      walker.body(body)
      walker.assign(name, undefined)
    },
  }
}

/** `{% with {a: 1} only %}…{% endwith %}`: sets variables for its body. */
export const withTag: Tag = {
  name: 'with',
  end: 'endwith',
  parse(parser, place) {
    const { tokens } = parser
    const variables = tokens.test('block end') ? undefined : parser.parseExpression()
    const isOnly = variables !== undefined && tokens.nextIf('name', 'only') !== undefined
    const body = parser.parseClosedBody('with')
    return {
      place,
      role: 'silent',
      bodies: [body],
      compile(compiler) {
        const evaluate = variables && compiler.expression(variables)
        const execute = compiler.isolated().body(body)
        return (render, frame) => {
          const given = evaluate?.(render, frame)
          if (given !== undefined && !isCollection(given)) {
            const message = 'Variables passed to the "with" tag must be a mapping.'
            throw runtimeFault(message, variables?.place)
          }
          const layer = given === undefined ? {} : { variables: variablesOf(given, render.budget) }
          const { template, overrides } = frame
          const inner = isOnly
            ? new Frame({ template, overrides, source: render.globals, ...layer })
            : frame.layer(layer)
          render.budget.enter(place)
          execute(render, inner)
          render.budget.leave()
        }
      },
      visit(walker) {
        if (variables !== undefined) walker.expression(variables)
        walker.isolated(body, namesOf(variables))
      },
    }
  },
}

/** Returns the names in a mapping literal. */
function namesOf(variables: Expression | undefined): string[] {
  if (variables?.kind !== 'collection') return []
  return variables.items.flatMap(({ key }) =>
    key?.kind === 'literal' && typeof key.value === 'string' ? [key.value] : [],
  )
}

/** Parses the variables that a tag sets: `a` or `a, b`. Word operators may be variables. */
export function parseTargets({ tokens }: TagParser): string[] {
  return tokens.separated(() => {
    const place = tokens.place
    const isWord = tokens.test('operator') && /^[a-zA-Z]/.test(tokens.current.value)
    const { value: name } = isWord
      ? tokens.next()
      : tokens.expect('name', undefined, 'Only variables can be assigned to')
    checkAssignable(name, place)
    return name
  })
}
