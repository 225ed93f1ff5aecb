import type { Expression } from '../syntax/expression.ts'
import type { Body, Module, Visitor } from '../syntax/statement.ts'
import { guardsOf, type Listener, type Surroundings, walkExpression } from './expression-walk.ts'
import { originOf } from './origins.ts'
import { attributePath, createScope } from './scope.ts'

/** Tells what a template reads and refers to, from its beginning to its end. */
export function walkModule(module: Module, listener: Listener, isConditional = false): void {
  const around: Surroundings = {
    scope: createScope(),
    isInLoop: false,
    isConditional,
    guarded: new Set(),
  }
  const visitor = visitorAt(around, { module, listener })
  if (module.parent !== undefined) visitor.expression(module.parent)
  visitor.body(module.body)
  for (const macro of module.macros) {
    const inner = { ...around, scope: createScope(), isConditional: true }
    for (const name of ['varargs', ...macro.parameters.map((parameter) => parameter.name)]) {
      inner.scope.set(name, undefined)
    }
    visitorAt(inner, { module, listener }).body(macro.body)
  }
}

function visitorAt(around: Surroundings, walked: { module: Module; listener: Listener }): Visitor {
  const { module, listener } = walked
  const at = (changes: Partial<Surroundings>): Visitor =>
    visitorAt({ ...around, ...changes }, walked)
  const visitor: Visitor = {
    expression: (expression) => walkExpression(expression, around, listener),
    body: (body) => visitAll(body, visitor),
    conditional(body, guard) {
      const guarded = guard === undefined ? around.guarded : guardsOf(guard, around)
      visitAll(body, at({ isConditional: true, guarded }))
    },
    isolated(body, variables = []) {
      const scope = around.scope.inner()
      for (const name of variables) scope.set(name, undefined)
      visitAll(body, at({ scope }))
    },
    block(body) {
      // Whether a block of a child is shown is for its parent to say.
      const isConditional = around.isConditional || module.parent !== undefined
      visitAll(body, at({ scope: around.scope.inner(), isConditional }))
    },
    loop(loop) {
      visitor.expression(loop.over)
      visitAll(loop.body, at(loopSurroundings(around, loop)))
    },
    assign(name, value) {
      if (value !== undefined) visitor.expression(value)
      const origin = value === undefined ? undefined : originOf(value, around.scope)
      around.scope.set(name, origin)
    },
    reference({ type, template, place, ignoresMissing = false }) {
      const { isConditional } = around
      listener.refer(type, template, { place, ignoresMissing, isConditional })
      visitor.expression(template)
    },
    module: (inner) => walkModule(inner, listener, around.isConditional),
  }
  return visitor
}

function visitAll(body: Body, visitor: Visitor): void {
  for (const statement of body) statement.visit(visitor)
}

function loopSurroundings(
  around: Surroundings,
  { over, key, value }: { over: Expression; key: string; value: string },
): Partial<Surroundings> {
  const scope = around.scope.inner()
  scope.set(value, attributePath(originOf(over, around.scope), undefined))
  scope.set(key, undefined)
  scope.set('loop', undefined)
  return { scope, isInLoop: true, isConditional: true }
}
