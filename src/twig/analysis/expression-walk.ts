import type {
  ArrowExpression,
  Expression,
  FilterExpression,
  FunctionExpression,
} from '../syntax/expression.ts'
import { operandsOf } from '../syntax/operands.ts'
import type { Place } from '../syntax/place.ts'
import type { ReferenceType } from '../syntax/statement.ts'
import { originOf } from './origins.ts'
import { attributePath, type Origin, type Scope } from './scope.ts'

/** Paths that are known to exist. */
export interface Guards {
  has(path: string): boolean
}

/** Where an expression stands. */
export interface Surroundings {
  readonly scope: Scope
  readonly isInLoop: boolean
  readonly isConditional: boolean
  /** Paths that were asked for with `is defined` on the way here. */
  readonly guarded: Guards
}

/** Who is told what an expression does. */
export interface Listener {
  read(path: string, read: { hasDefault: boolean; isInLoop: boolean; place: Place }): void
  refer(
    type: ReferenceType,
    template: Expression,
    at: { place: Place; ignoresMissing: boolean; isConditional: boolean },
  ): void
}

/** Tells what an expression reads, sets and refers to. */
export function walkExpression(
  expression: Expression,
  around: Surroundings,
  listener: Listener,
): void {
  const walk = (inner: Expression, changes: Partial<Surroundings> = {}): void =>
    walkExpression(inner, { ...around, ...changes }, listener)
  switch (expression.kind) {
    case 'name':
    case 'attribute':
      walkPath(expression, { around, hasDefault: false }, listener)
      return
    case 'test':
      if (expression.definition.name === 'defined') walkLenient(expression.target, around, listener)
      else for (const operand of operandsOf(expression)) walk(operand)
      return
    case 'binary':
      walkBinary(expression, around, listener)
      return
    case 'conditional':
      walk(expression.test)
      walk(expression.then, {
        isConditional: true,
        guarded: guardsOf(expression.test, around),
      })
      walk(expression.otherwise, { isConditional: true })
      return
    case 'filter':
      walkFilter(expression, around, listener)
      return
    case 'function':
      walkFunction(expression, around, listener)
      return
    case 'block':
      walkBlock(expression, around, listener)
      return
    case 'arrow':
      walkArrow(expression, [], { around, listener })
      return
    default:
      walkAssigning(expression, around, listener)
  }
}

/** The paths that are known to exist where a test holds, and those that were known before. */
export function guardsOf(test: Expression, { scope, guarded }: Surroundings): Guards {
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
  // Not all in one set, which would be copied for every condition.
  return guards.size === 0 ? guarded : { has: (path) => guards.has(path) || guarded.has(path) }
}

function walkAssigning(expression: Expression, around: Surroundings, listener: Listener): void {
  for (const operand of operandsOf(expression)) walkExpression(operand, around, listener)
  if (expression.kind === 'assign') {
    around.scope.set(expression.name, originOf(expression.value, around.scope))
  }
  if (expression.kind === 'destructure') {
    const origin = originOf(expression.value, around.scope)
    for (const { key, name } of expression.targets) {
      const attribute = typeof key === 'string' ? key : undefined
      if (name !== undefined) around.scope.set(name, attributePath(origin, attribute))
    }
  }
}

/** A variable, or a way from one: the longest path is what is read. */
function walkPath(
  expression: Expression,
  { around, hasDefault }: { around: Surroundings; hasDefault: boolean },
  listener: Listener,
): void {
  const path = originOf(expression, around.scope)
  if (expression.kind === 'attribute') {
    const { attribute, args, target } = expression
    for (const inner of [attribute, ...args.map(({ value }) => value)]) {
      walkExpression(inner, around, listener)
    }
    // The way to it is no reading of its own, unless it leads through something made here.
    if (path === undefined || (target.kind !== 'name' && target.kind !== 'attribute')) {
      walkExpression(target, around, listener)
    } else if (target.kind === 'attribute') {
      for (const inner of [target.attribute, ...target.args.map(({ value }) => value)]) {
        walkExpression(inner, around, listener)
      }
    }
  }
  if (path === undefined || path.startsWith('_')) return
  const { isInLoop, guarded } = around
  const isGuarded = hasDefault || guarded.has(path)
  listener.read(path, { hasDefault: isGuarded, isInLoop, place: expression.place })
}

/** What may lead to nothing here. */
function walkLenient(expression: Expression, around: Surroundings, listener: Listener): void {
  if (expression.kind === 'name' || expression.kind === 'attribute') {
    walkPath(expression, { around, hasDefault: true }, listener)
  } else walkExpression(expression, around, listener)
}

function walkBinary(
  expression: Extract<Expression, { kind: 'binary' }>,
  around: Surroundings,
  listener: Listener,
): void {
  const { operator, left, right } = expression
  if (operator === '??') walkLenient(left, around, listener)
  else walkExpression(left, around, listener)
  const isConditional = around.isConditional || ['??', '?:', 'and', 'or'].includes(operator)
  const guarded = operator === 'and' ? guardsOf(left, around) : around.guarded
  const inner = { ...around, isConditional, guarded }
  if (right.kind === 'arrow') {
    const element = attributePath(originOf(left, around.scope), undefined)
    walkArrow(right, [element], { around: inner, listener })
  } else walkExpression(right, inner, listener)
}

function walkFilter(
  { target, definition, args }: FilterExpression,
  around: Surroundings,
  listener: Listener,
): void {
  if (definition.acceptsMissing) walkLenient(target, around, listener)
  else walkExpression(target, around, listener)
  const element = attributePath(originOf(target, around.scope), undefined)
  for (const { value } of [...args.positional.map((value) => ({ value })), ...args.rest]) {
    if (value.kind === 'arrow') {
      const origins = definition.name === 'reduce' ? [undefined, element] : [element, element]
      const parameters = definition.name === 'sort' ? origins : origins.slice(0, -1)
      const given = definition.name === 'reduce' ? origins : parameters
      walkArrow(value, given, { around, listener })
    } else walkExpression(value, around, listener)
  }
  for (const value of args.spread) walkExpression(value, around, listener)
}

/** An arrow function, whose parameters may be elements of the data. */
function walkArrow(
  { parameters, body }: ArrowExpression,
  origins: readonly Origin[],
  { around, listener }: { around: Surroundings; listener: Listener },
): void {
  const scope = around.scope.inner()
  parameters.forEach((name, index) => {
    scope.set(name, origins[index])
  })
  walkExpression(body, { ...around, scope, isInLoop: true, isConditional: true }, listener)
}

const referring = new Map<string, ReferenceType>([
  ['include', 'include'],
  ['source', 'source'],
])

function walkFunction(
  { definition, args, place }: FunctionExpression,
  around: Surroundings,
  listener: Listener,
): void {
  const type = referring.get(definition.name)
  const [template] = args.positional
  if (type !== undefined && template !== undefined) {
    const ignoring = args.positional[type === 'include' ? 3 : 1]
    const ignoresMissing = ignoring?.kind === 'literal' && ignoring.value === true
    listener.refer(type, template, { place, ignoresMissing, isConditional: around.isConditional })
  }
  const all = [...args.positional, ...args.rest.map(({ value }) => value), ...args.spread]
  for (const value of all) walkExpression(value, around, listener)
}

function walkBlock(
  expression: Extract<Expression, { kind: 'block' }>,
  around: Surroundings,
  listener: Listener,
): void {
  const { template, place } = expression
  if (template !== undefined) {
    const { isConditional } = around
    listener.refer('block', template, { place, ignoresMissing: false, isConditional })
  }
  for (const operand of operandsOf(expression)) walkExpression(operand, around, listener)
}
