import type { Expression } from '../syntax/expression.ts'
import type { Body, Module, Walker } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'
import { guardsOf, type Listener, type WalkContext, walkExpression } from './expression-walk.ts'
import type { Analysis, TemplateReference, VariableRead } from './report.ts'
import { attributePath, originOf, Scope } from './scope.ts'

/** Finds the variables that a template reads and the templates that it refers to. */
export function analyzeModule(module: Module): Analysis {
  const reads = new Map<string, VariableRead>()
  const references: TemplateReference[] = []
  const listener: Listener = {
    read(path, { hasDefault, isInLoop, place }) {
      const before = reads.get(path)
      reads.set(path, {
        path,
        hasDefault: hasDefault && (before?.hasDefault ?? true),
        isInLoop: isInLoop || (before?.isInLoop ?? false),
        line: before?.line ?? place.line,
        column: before?.column ?? place.column,
      })
    },
    refer(type, template, { place, ignoresMissing, isConditional }) {
      const { line, column } = place
      const at = { type, line, column, ignoresMissing }
      for (const { names, isChosen } of namesIn(template, module.name)) {
        references.push({ ...at, names, isConditional: isConditional || isChosen })
      }
    },
  }
  walkModule(module, listener)
  const variables = [...reads.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  return { variables, references }
}

interface Names {
  readonly names: readonly string[]
  /** True when an expression chooses this name at run time. */
  readonly isChosen: boolean
}

/** Lists the names that a template reference can evaluate to. */
function namesIn(template: Expression, self: string | undefined): Names[] {
  switch (template.kind) {
    case 'literal':
      return [{ names: [toText(template.value)], isChosen: false }]
    case 'name':
      return template.name === '_self' && self !== undefined
        ? [{ names: [self], isChosen: false }]
        : [unknown]
    case 'conditional':
      return [template.then, template.otherwise].flatMap((side) =>
        namesIn(side, self).map(({ names }) => ({ names, isChosen: true })),
      )
    case 'collection':
      return [firstOf(template.items.map(({ value }) => value))]
    default:
      return [unknown]
  }
}

const unknown: Names = { names: [], isChosen: false }

function firstOf(candidates: readonly Expression[]): Names {
  const names = candidates.flatMap((candidate) =>
    candidate.kind === 'literal' ? [toText(candidate.value)] : [],
  )
  return names.length < candidates.length ? unknown : { names, isChosen: false }
}

/** Reports what a template reads and refers to, in source order. */
function walkModule(module: Module, listener: Listener, isConditional = false): void {
  const context: WalkContext = {
    scope: new Scope(),
    isInLoop: false,
    isConditional,
    guarded: new Set(),
  }
  const walker = walkerAt(context, { module, listener })
  if (module.parent !== undefined) walker.expression(module.parent)
  walker.body(module.body)
  for (const macro of module.macros) {
    const inner = { ...context, scope: new Scope(), isConditional: true }
    for (const name of ['varargs', ...macro.parameters.map((parameter) => parameter.name)]) {
      inner.scope.set(name, undefined)
    }
    walkerAt(inner, { module, listener }).body(macro.body)
  }
}

function walkerAt(context: WalkContext, walked: { module: Module; listener: Listener }): Walker {
  const { module, listener } = walked
  const at = (changes: Partial<WalkContext>): Walker => walkerAt({ ...context, ...changes }, walked)
  const walker: Walker = {
    expression: (expression) => walkExpression(expression, context, listener),
    body: (body) => visitAll(body, walker),
    conditional(body, guard) {
      const guarded = guard === undefined ? context.guarded : guardsOf(guard, context)
      visitAll(body, at({ isConditional: true, guarded }))
    },
    isolated(body, variables = []) {
      const scope = new Scope(context.scope)
      for (const name of variables) scope.set(name, undefined)
      visitAll(body, at({ scope }))
    },
    block(body) {
      // The parent template decides whether a block of its child is rendered.
      const isConditional = context.isConditional || module.parent !== undefined
      visitAll(body, at({ scope: new Scope(context.scope), isConditional }))
    },
    loop(loop) {
      walker.expression(loop.over)
      visitAll(loop.body, at(loopContext(context, loop)))
    },
    assign(name, value) {
      if (value !== undefined) walker.expression(value)
      const origin = value === undefined ? undefined : originOf(value, context.scope)
      context.scope.set(name, origin)
    },
    reference({ type, template, place, ignoresMissing = false }) {
      const { isConditional } = context
      listener.refer(type, template, { place, ignoresMissing, isConditional })
      walker.expression(template)
    },
    module: (inner) => walkModule(inner, listener, context.isConditional),
  }
  return walker
}

function visitAll(body: Body, walker: Walker): void {
  for (const statement of body) statement.visit(walker)
}

function loopContext(
  context: WalkContext,
  { over, key, value }: { over: Expression; key: string; value: string },
): Partial<WalkContext> {
  const scope = new Scope(context.scope)
  scope.set(value, attributePath(originOf(over, context.scope), undefined))
  scope.set(key, undefined)
  scope.set('loop', undefined)
  return { scope, isInLoop: true, isConditional: true }
}
