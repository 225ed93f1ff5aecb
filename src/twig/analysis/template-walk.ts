import type { Expression } from '../syntax/expression.ts'
import type { Body, Module, Walker } from '../syntax/statement.ts'
import { guardsOf, type Listener, type WalkContext, walkExpression } from './expression-walk.ts'
import { attributePath, createScope, originOf } from './scope.ts'

/** Reports what a template reads and refers to, in source order. */
export function walkModule(module: Module, listener: Listener, isConditional = false): void {
  const context: WalkContext = {
    scope: createScope(),
    isInLoop: false,
    isConditional,
    guarded: new Set(),
  }
  const walker = walkerAt(context, { module, listener })
  if (module.parent !== undefined) walker.expression(module.parent)
  walker.body(module.body)
  for (const macro of module.macros) {
    const inner = { ...context, scope: createScope(), isConditional: true }
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
      const scope = context.scope.inner()
      for (const name of variables) scope.set(name, undefined)
      visitAll(body, at({ scope }))
    },
    block(body) {
      // The parent template decides whether a block of its child is rendered.
      const isConditional = context.isConditional || module.parent !== undefined
      visitAll(body, at({ scope: context.scope.inner(), isConditional }))
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
  const scope = context.scope.inner()
  scope.set(value, attributePath(originOf(over, context.scope), undefined))
  scope.set(key, undefined)
  scope.set('loop', undefined)
  return { scope, isInLoop: true, isConditional: true }
}
