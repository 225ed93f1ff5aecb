import { runtimeFault } from '../errors/faults.ts'
import type { Tag } from '../parser/tag.ts'
import { type Execute, Frame } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Statement } from '../syntax/statement.ts'
import { isCollection } from '../values/collections.ts'
import { variablesOf } from './include-options.ts'

/** `{% with {a: 1} only %}…{% endwith %}`: variables that end with the tag. */
export const withTag: Tag = {
  name: 'with',
  end: 'endwith',
  parse(parser, place) {
    const { tokens } = parser
    let variables: Expression | undefined
    let isOnly = false
    if (!tokens.test('block end')) {
      variables = parser.parseExpression()
      isOnly = tokens.nextIf('name', 'only') !== undefined
    }
    tokens.expect('block end')
    const body = parser.parseClosedBody('endwith', 'with')
    return withStatement({ variables, isOnly, body }, place)
  },
}

interface WithParts {
  readonly variables: Expression | undefined
  readonly isOnly: boolean
  readonly body: Body
}

function withStatement({ variables, isOnly, body }: WithParts, place: Place): Statement {
  return {
    place,
    role: 'silent',
    bodies: [body],
    compile(compiler): Execute {
      const evaluate = variables === undefined ? undefined : compiler.expression(variables)
      const execute = compiler.isolated().body(body)
      if (evaluate === undefined) {
        return (render, frame) => {
          render.budget.enter(place)
          execute(render, frame.layer({}))
          render.budget.leave()
        }
      }
      return (render, frame) => {
        const given = evaluate(render, frame)
        if (!isCollection(given)) {
          throw runtimeFault(
            'Variables passed to the "with" tag must be a mapping.',
            variables?.place ?? place,
          )
        }
        const layer = { variables: variablesOf(given, render.budget) }
        const inner = isOnly
          ? new Frame({ ...frame.identity(), source: render.globals, ...layer })
          : frame.layer(layer)
        render.budget.enter(place)
        execute(render, inner)
        render.budget.leave()
      }
    },
    visit(visitor) {
      if (variables !== undefined) visitor.expression(variables)
      visitor.isolated(body, namesOf(variables))
    },
  }
}

/** The names that a mapping written out in the tag gives. */
function namesOf(variables: Expression | undefined): string[] {
  if (variables?.kind !== 'collection') return []
  return variables.items.flatMap(({ key }) =>
    key?.kind === 'literal' && typeof key.value === 'string' ? [key.value] : [],
  )
}
