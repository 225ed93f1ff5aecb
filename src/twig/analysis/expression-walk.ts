import type { Place } from '../errors.ts'
import type {
  ArrowExpression,
  Expression,
  FilterExpression,
  FunctionExpression,
} from '../syntax/expression.ts'
import { argumentsOf, operandsOf } from '../syntax/operands.ts'
import type { ReferenceType } from '../syntax/statement.ts'
import { attributePath, type Origin, originOf, Scope } from './scope.ts'

/** Paths that are known to be defined. */
export interface Guards {
  has(path: string): boolean
}

/** The context that an expression is walked in. */
export interface WalkContext {
  readonly scope: Scope
  readonly isInLoop: boolean
  readonly isConditional: boolean
  /** Paths that an enclosing condition has checked with `is defined`. */
  readonly guarded: Guards
}

/** Receives what an expression reads and refers to. */
export interface Listener {
  read(path: string, read: { hasDefault: boolean; isInLoop: boolean; place: Place }): void
  refer(
    type: ReferenceType,
    template: Expression,
    at: { place: Place; ignoresMissing: boolean; isConditional: boolean },
  ): void
}

/** Reports what an expression reads and refers to, and records its assignments in the scope. */
export function walkExpression(
  expression: Expression,
  context: WalkContext,
  listener: Listener,
): void {
  const walk = (inner: Expression, changes: Partial<WalkContext> = {}): void =>
    walkExpression(inner, { ...context, ...changes }, listener)
  switch (expression.kind) {
    case 'name':
    case 'attribute':
      walkPath(expression, { context, hasDefault: false }, listener)
      return
    case 'test':
      if (expression.definition.name === 'defined')
        walkLenient(expression.target, context, listener)
      else for (const operand of operandsOf(expression)) walk(operand)
      return
    case 'binary':
      walkBinary(expression, context, listener)
      return
    case 'conditional':
      walk(expression.test)
      walk(expression.then, {
        isConditional: true,
        guarded: guardsOf(expression.test, context),
      })
      walk(expression.otherwise, { isConditional: true })
      return
    case 'filter':
      walkFilter(expression, context, listener)
      return
    case 'function':
      walkFunction(expression, context, listener)
      return
    case 'block':
      walkBlock(expression, context, listener)
      return
    case 'arrow':
      walkArrow(expression, [], { context, listener })
      return
    default:
      walkAssigning(expression, context, listener)
  }
}

/** Returns the paths that are defined when a condition is true, in addition to the known ones. */
export function guardsOf(test: Expression, { scope, guarded }: WalkContext): Guards {
  const guards = new Set<string>()
  function gather(expression: Expression): void {
    if (expression.kind === 'binary' && expression.operator === 'and') {
      gather(expression.left)
      gather(expression.right)
    }
    if (expression.kind !== 'test' || expression.definition.name !== 'defined') return
    const path = originOf(expression.target, scope)
    if (path !== undefined) guards.add(path)
  }
  gather(test)
  // A nested lookup instead of one merged set: merging would copy the set for every condition.
  return guards.size === 0 ? guarded : { has: (path) => guards.has(path) || guarded.has(path) }
}

function walkAssigning(expression: Expression, context: WalkContext, listener: Listener): void {
  for (const operand of operandsOf(expression)) walkExpression(operand, context, listener)
  if (expression.kind === 'assign') {
    context.scope.set(expression.name, originOf(expression.value, context.scope))
  }
  if (expression.kind === 'destructure') {
    const origin = originOf(expression.value, context.scope)
    for (const { key, name } of expression.targets) {
      const attribute = typeof key === 'string' ? key : undefined
      if (name !== undefined) context.scope.set(name, attributePath(origin, attribute))
    }
  }
}

/** Reports a variable or attribute path. Only the longest path counts as read. */
function walkPath(
  expression: Expression,
  { context, hasDefault }: { context: WalkContext; hasDefault: boolean },
  listener: Listener,
): void {
  const path = originOf(expression, context.scope)
  if (expression.kind === 'attribute') {
    const { attribute, args, target } = expression
    for (const inner of [attribute, ...args.map(({ value }) => value)]) {
      walkExpression(inner, context, listener)
    }
    // A prefix of the path is not a read of its own, except when the template computed the prefix.
    if (path === undefined || (target.kind !== 'name' && target.kind !== 'attribute')) {
      walkExpression(target, context, listener)
    } else if (target.kind === 'attribute') {
      for (const inner of [target.attribute, ...target.args.map(({ value }) => value)]) {
        walkExpression(inner, context, listener)
      }
    }
  }
  if (path === undefined || path.startsWith('_')) return
  const { isInLoop, guarded } = context
  const isGuarded = hasDefault || guarded.has(path)
  listener.read(path, { hasDefault: isGuarded, isInLoop, place: expression.place })
}

/** Walks an expression that may be missing. */
function walkLenient(expression: Expression, context: WalkContext, listener: Listener): void {
  if (expression.kind === 'name' || expression.kind === 'attribute') {
    walkPath(expression, { context, hasDefault: true }, listener)
  } else walkExpression(expression, context, listener)
}

function walkBinary(
  expression: Extract<Expression, { kind: 'binary' }>,
  context: WalkContext,
  listener: Listener,
): void {
  const { operator, left, right } = expression
  if (operator === '??') walkLenient(left, context, listener)
  else walkExpression(left, context, listener)
  const isConditional = context.isConditional || ['??', '?:', 'and', 'or'].includes(operator)
  const guarded = operator === 'and' ? guardsOf(left, context) : context.guarded
  const inner = { ...context, isConditional, guarded }
  if (right.kind === 'arrow') {
    const element = attributePath(originOf(left, context.scope), undefined)
    walkArrow(right, [element], { context: inner, listener })
  } else walkExpression(right, inner, listener)
}

function walkFilter(
  { target, definition, args }: FilterExpression,
  context: WalkContext,
  listener: Listener,
): void {
  if (definition.acceptsMissing) walkLenient(target, context, listener)
  else walkExpression(target, context, listener)
  const element = attributePath(originOf(target, context.scope), undefined)
  for (const value of argumentsOf(args)) {
    if (value.kind === 'arrow') {
      const first = definition.name === 'reduce' ? undefined : element
      const second = ['reduce', 'sort'].includes(definition.name) ? element : undefined
      walkArrow(value, [first, second], { context, listener })
    } else walkExpression(value, context, listener)
  }
}

/** Walks an arrow function. Its parameters may be elements of the data. */
function walkArrow(
  { parameters, body }: ArrowExpression,
  origins: readonly Origin[],
  { context, listener }: { context: WalkContext; listener: Listener },
): void {
  const scope = new Scope(context.scope)
  parameters.forEach((name, index) => {
    scope.set(name, origins[index])
  })
  walkExpression(body, { ...context, scope, isInLoop: true, isConditional: true }, listener)
}

function walkFunction(
  expression: FunctionExpression,
  context: WalkContext,
  listener: Listener,
): void {
  const { definition, args, place } = expression
  const type = definition.name
  const [template] = args.positional
  if ((type === 'include' || type === 'source') && template !== undefined) {
    const ignoring = args.positional[type === 'include' ? 3 : 1]
    const ignoresMissing = ignoring?.kind === 'literal' && ignoring.value === true
    listener.refer(type, template, { place, ignoresMissing, isConditional: context.isConditional })
  }
  for (const operand of operandsOf(expression)) walkExpression(operand, context, listener)
}

function walkBlock(
  expression: Extract<Expression, { kind: 'block' }>,
  context: WalkContext,
  listener: Listener,
): void {
  const { template, place } = expression
  if (template !== undefined) {
    const { isConditional } = context
    listener.refer('block', template, { place, ignoresMissing: false, isConditional })
  }
  for (const operand of operandsOf(expression)) walkExpression(operand, context, listener)
}
