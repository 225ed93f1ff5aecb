import { runtimeFault, syntaxFault } from '../errors.ts'
import { bodyStatement } from '../parser/statements.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import { displayIncluded, isolatedFrame, variablesOf } from '../runtime/inheritance.ts'
import { findTemplate, loadTemplate } from '../runtime/loading.ts'
import type { Evaluate, Frame, Render, Template } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { isCollection } from '../values/collections.ts'
import { typeName } from '../values/conversions.ts'
import type { Value } from '../values/value.ts'

/** `{% include "card.twig" ignore missing with {…} only %}`. */
export const includeTag: Tag = {
  name: 'include',
  parse(parser, place) {
    const template = parser.parseExpression()
    const options = parseIncludeOptions(parser)
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
            ? findTemplate(render, wanted, place)
            : loadTemplate(render, wanted, place)
          if (found === undefined) return
          displayIncluded(render, frameFor(render, frame, found), place)
        }
      },
      visit(walker) {
        walker.reference({ type: 'include', template, place, ignoresMissing })
        if (variables !== undefined) walker.expression(variables)
      },
    }
  },
}

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
          displayIncluded(render, inner, place)
        }
      },
      visit(walker) {
        if (module.parent !== undefined) {
          walker.reference({ type: 'embed', template: module.parent, place, ignoresMissing })
        }
        if (variables !== undefined) walker.expression(variables)
        walker.module(module)
      },
    }
  },
}

function hasParent(render: Render, frame: Frame, { parent }: Template): boolean {
  if (parent === undefined) return false
  return findTemplate(render, parent.evaluate(render, frame), parent.place) !== undefined
}

/** The options of `include` and `embed`: `ignore missing with variables only`. */
interface IncludeOptions {
  readonly variables: Expression | undefined
  readonly isOnly: boolean
  readonly ignoresMissing: boolean
}

function parseIncludeOptions(parser: TagParser): IncludeOptions {
  const { tokens } = parser
  const ignoresMissing = tokens.nextIf('name', 'ignore') !== undefined
  if (ignoresMissing) tokens.expect('name', 'missing')
  const variables =
    tokens.nextIf('name', 'with') === undefined ? undefined : parser.parseExpression()
  const isOnly = tokens.nextIf('name', 'only') !== undefined
  tokens.expect('block end')
  return { variables, isOnly, ignoresMissing }
}

/** Compiles to a function that creates the frame of the included template. */
function compileIncludeFrame(
  compiler: Compiler,
  { variables, isOnly }: IncludeOptions,
): (render: Render, frame: Frame, template: Template) => Frame {
  const evaluate = variables === undefined ? undefined : compiler.expression(variables)
  return (render, frame, template) => {
    const given = evaluate === undefined ? undefined : evaluateVariables(render, frame, evaluate)
    if (isOnly) return isolatedFrame(render, template, given)
    const overrides = [template]
    return frame.layer(
      given === undefined ? { template, overrides } : { template, overrides, variables: given },
    )
  }
}

function evaluateVariables(render: Render, frame: Frame, evaluate: Evaluate): Map<string, Value> {
  const value = evaluate(render, frame)
  if (isCollection(value)) return variablesOf(value, render.budget)
  throw runtimeFault(
    `The "merge" filter expects a sequence or a mapping, got "${typeName(value)}" for argument 2.`,
  )
}

/**
 * `{% sandbox %}{% include "theirs.twig" %}{% endsandbox %}`: the included templates may only use
 * what the sandbox allows.
 */
export const sandboxTag: Tag = {
  name: 'sandbox',
  end: 'endsandbox',
  parse(parser, place) {
    const body = parser.parseClosedBody('sandbox')
    for (const statement of body) {
      if (statement.role === 'blank' || statement.tag === 'include') continue
      throw syntaxFault(
        'Only "include" tags are allowed within a "sandbox" section.',
        statement.place,
      )
    }
    return {
      ...bodyStatement(body, place),
      compile(compiler) {
        const execute = compiler.body(body)
        return (render, frame) => {
          const before = render.isSandboxed
          render.isSandboxed = true
          execute(render, frame)
          render.isSandboxed = before
        }
      },
    }
  },
}
