import type { Tag } from '../parser/tag.ts'
import { display } from '../runtime/inheritance.ts'
import { findTemplate, loadTemplate } from '../runtime/loading.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Statement } from '../syntax/statement.ts'
import { compileIncludeFrame, type IncludeOptions, parseIncludeOptions } from './include-options.ts'

/** `{% include "card.twig" ignore missing with {…} only %}`. */
export const includeTag: Tag = {
  name: 'include',
  parse(parser, place) {
    const template = parser.parseExpression()
    return includeStatement(template, parseIncludeOptions(parser), place)
  },
}

function includeStatement(template: Expression, options: IncludeOptions, place: Place): Statement {
  const { ignoresMissing, variables } = options
  return {
    place,
    role: 'output',
    compile(compiler) {
      const evaluate = compiler.expression(template)
      const frameFor = compileIncludeFrame(compiler, options)
      return (render, frame) => {
        const wanted = evaluate(render, frame)
        render.at = place
        const found = ignoresMissing
          ? findTemplate(render, wanted)
          : loadTemplate(render, wanted, place)
        if (found === undefined) return
        render.budget.enter(place)
        display(render, frameFor(render, frame, found))
        render.budget.leave()
        render.at = place
      }
    },
    visit(visitor) {
      visitor.reference({ type: 'include', template, place, ignoresMissing })
      if (variables !== undefined) visitor.expression(variables)
    },
  }
}
