import type { Tag } from '../parser/tag.ts'
import { display } from '../runtime/inheritance.ts'
import { findTemplate } from '../runtime/loading.ts'
import type { Frame, Render, Template } from '../runtime/render.ts'
import type { Place } from '../syntax/place.ts'
import type { Module, Statement } from '../syntax/statement.ts'
import { compileIncludeFrame, type IncludeOptions, parseIncludeOptions } from './include-options.ts'

/** `{% embed "card.twig" %}{% block title %}…{% endblock %}{% endembed %}`. */
export const embedTag: Tag = {
  name: 'embed',
  end: 'endembed',
  parse(parser, place) {
    const { tokens } = parser
    const parent = parser.parseExpression()
    const options = parseIncludeOptions(parser)
    const module = parser.parseModule(parent, 'endembed')
    tokens.nextIf('name', 'endembed')
    tokens.expect('block end')
    return embedStatement(module, options, place)
  },
}

function embedStatement(module: Module, options: IncludeOptions, place: Place): Statement {
  const { ignoresMissing, variables } = options
  return {
    place,
    role: 'output',
    compile(compiler) {
      const template = compiler.module(module)
      const frameFor = compileIncludeFrame(compiler, options)
      return (render, frame) => {
        render.at = place
        const inner = frameFor(render, frame, template)
        if (ignoresMissing && !hasParent(render, inner, template)) return
        render.budget.enter(place)
        display(render, inner)
        render.budget.leave()
        render.at = place
      }
    },
    visit(visitor) {
      if (module.parent !== undefined) {
        visitor.reference({ type: 'embed', template: module.parent, place, ignoresMissing })
      }
      if (variables !== undefined) visitor.expression(variables)
      visitor.module(module)
    },
  }
}

function hasParent(render: Render, frame: Frame, { parent }: Template): boolean {
  if (parent === undefined) return false
  return findTemplate(render, parent.evaluate(render, frame)) !== undefined
}
