import type { Place } from '../errors.ts'
import type {
  ArrowExpression,
  BinaryExpression,
  Expression,
  FilterExpression,
  FunctionExpression,
} from '../syntax/expression.ts'
import { argumentsOf, operandsOf } from '../syntax/operands.ts'
import type { Body, Module, ReferenceType, Walker } from '../syntax/statement.ts'
import { attributePath, type Origin, originOf, Scope } from './scope.ts'

/** Receives what a template reads and refers to. */
export interface Listener {
  read(path: string, read: { hasDefault: boolean; isInLoop: boolean; place: Place }): void
  refer(
    type: ReferenceType,
    template: Expression,
    at: { place: Place; ignoresMissing: boolean; isConditional: boolean },
  ): void
}

/** Paths that are known to be defined. */
interface Guards {
  has(path: string): boolean
}

/** The context that a part of a template is walked in. */
interface WalkContext {
  readonly module: Module
  readonly listener: Listener
  readonly scope: Scope
  readonly isInLoop: boolean
  readonly isConditional: boolean
  /** Paths that an enclosing condition has checked with `is defined`. */
  readonly guarded: Guards
}

/** Reports what a template reads and refers to, in source order. */
export function walkModule(module: Module, listener: Listener, isConditional = false): void {
  const scope = new Scope()
  const guarded = new Set<string>()
  const context = { module, listener, scope, isInLoop: false, isConditional, guarded }
  const walker = new TemplateWalker(context)
  if (module.parent !== undefined) walker.expression(module.parent)
  walker.body(module.body)
  for (const { parameters, body } of module.macros) {
    const names = ['varargs', ...parameters.map(({ name }) => name)]
    new TemplateWalker({ ...context, scope: new Scope(), isConditional: true }).isolated(
      body,
      names,
    )
  }
}

/** Reports what statements and expressions read, and records their assignments in the scope. */
class TemplateWalker implements Walker {
  readonly #context: WalkContext

  constructor(context: WalkContext) {
    this.#context = context
  }

  #with(changes: Partial<WalkContext>): TemplateWalker {
    return new TemplateWalker({ ...this.#context, ...changes })
  }

  body(body: Body): void {
    for (const statement of body) statement.visit(this)
  }

  conditional(body: Body, guard?: Expression): void {
    const guarded = guard === undefined ? this.#context.guarded : this.#guardsOf(guard)
    this.#with({ isConditional: true, guarded }).body(body)
  }

  isolated(body: Body, variables: readonly string[] = []): void {
    const scope = new Scope(this.#context.scope)
    for (const name of variables) scope.set(name, undefined)
    this.#with({ scope }).body(body)
  }

  block(body: Body): void {
    // The parent template decides whether a block of its child is rendered.
    const { isConditional, module } = this.#context
    this.#with({ isConditional: isConditional || module.parent !== undefined }).isolated(body)
  }

  loop(loop: { over: Expression; key: string; value: string; body: Body }): void {
    this.expression(loop.over)
    const scope = new Scope(this.#context.scope)
    scope.set(loop.value, this.#elementOf(loop.over))
    scope.set(loop.key, undefined)
    scope.set('loop', undefined)
    this.#with({ scope, isInLoop: true, isConditional: true }).body(loop.body)
  }

  assign(name: string, value: Expression | undefined): void {
    if (value !== undefined) this.expression(value)
    this.#context.scope.set(name, value === undefined ? undefined : this.#originOf(value))
  }

  reference(reference: Parameters<Walker['reference']>[0]): void {
    const { type, template, place, ignoresMissing = false } = reference
    this.#refer(type, template, { place, ignoresMissing })
    this.expression(template)
  }

  module(module: Module): void {
    walkModule(module, this.#context.listener, this.#context.isConditional)
  }

  expression(expression: Expression): void {
    switch (expression.kind) {
      case 'name':
      case 'attribute':
        this.#path(expression, false)
        break
      case 'test':
        if (expression.definition.name === 'defined') this.#lenient(expression.target)
        else this.#operands(expression)
        break
      case 'binary':
        this.#binary(expression)
        break
      case 'conditional': {
        this.expression(expression.test)
        const guarded = this.#guardsOf(expression.test)
        this.#with({ isConditional: true, guarded }).expression(expression.then)
        this.#with({ isConditional: true }).expression(expression.otherwise)
        break
      }
      case 'filter':
        this.#filter(expression)
        break
      case 'function':
        this.#function(expression)
        break
      case 'block': {
        const { template, place } = expression
        if (template !== undefined) this.#refer('block', template, { place, ignoresMissing: false })
        this.#operands(expression)
        break
      }
      case 'arrow':
        this.#arrow(expression, [])
        break
      default:
        this.#operands(expression)
        this.#assignment(expression)
    }
  }

  #operands(expression: Expression): void {
    for (const operand of operandsOf(expression)) this.expression(operand)
  }

  #originOf(expression: Expression): Origin {
    return originOf(expression, this.#context.scope)
  }

  #elementOf(collection: Expression): Origin {
    return attributePath(this.#originOf(collection), undefined)
  }

  #refer(
    type: ReferenceType,
    template: Expression,
    at: { place: Place; ignoresMissing: boolean },
  ): void {
    const { isConditional } = this.#context
    this.#context.listener.refer(type, template, { ...at, isConditional })
  }

  #assignment(expression: Expression): void {
    const { scope } = this.#context
    if (expression.kind === 'assign') scope.set(expression.name, this.#originOf(expression.value))
    if (expression.kind !== 'destructure') return
    const origin = this.#originOf(expression.value)
    for (const { key, name } of expression.targets) {
      const attribute = typeof key === 'string' ? key : undefined
      if (name !== undefined) scope.set(name, attributePath(origin, attribute))
    }
  }

  /** Reports a variable or attribute path. Only the longest path counts as read. */
  #path(expression: Expression, hasDefault: boolean): void {
    const path = this.#originOf(expression)
    if (expression.kind === 'attribute') {
      const { target } = expression
      const [, ...inner] = operandsOf(expression)
      for (const operand of inner) this.expression(operand)
      // A prefix of the path is not a read of its own, except when the template computed the prefix.
      if (path === undefined || (target.kind !== 'name' && target.kind !== 'attribute')) {
        this.expression(target)
      } else if (target.kind === 'attribute') {
        const [, ...innermost] = operandsOf(target)
        for (const operand of innermost) this.expression(operand)
      }
    }
    if (path === undefined || path.startsWith('_')) return
    const { isInLoop, guarded } = this.#context
    const isGuarded = hasDefault || guarded.has(path)
    this.#context.listener.read(path, { hasDefault: isGuarded, isInLoop, place: expression.place })
  }

  /** Walks an expression that may be missing. */
  #lenient(expression: Expression): void {
    if (expression.kind !== 'name' && expression.kind !== 'attribute') this.expression(expression)
    else this.#path(expression, true)
  }

  #binary({ operator, left, right }: BinaryExpression): void {
    if (operator === '??') this.#lenient(left)
    else this.expression(left)
    const { isConditional, guarded } = this.#context
    const walker = this.#with({
      isConditional: isConditional || ['??', '?:', 'and', 'or'].includes(operator),
      guarded: operator === 'and' ? this.#guardsOf(left) : guarded,
    })
    if (right.kind === 'arrow') walker.#arrow(right, [this.#elementOf(left)])
    else walker.expression(right)
  }

  #filter({ target, definition, args }: FilterExpression): void {
    if (definition.acceptsMissing) this.#lenient(target)
    else this.expression(target)
    const element = this.#elementOf(target)
    for (const value of argumentsOf(args)) {
      if (value.kind === 'arrow') {
        const first = definition.name === 'reduce' ? undefined : element
        const second = ['reduce', 'sort'].includes(definition.name) ? element : undefined
        this.#arrow(value, [first, second])
      } else this.expression(value)
    }
  }

  /** Walks an arrow function. Its parameters may be elements of the data. */
  #arrow({ parameters, body }: ArrowExpression, origins: readonly Origin[]): void {
    const scope = new Scope(this.#context.scope)
    parameters.forEach((name, index) => {
      scope.set(name, origins[index])
    })
    this.#with({ scope, isInLoop: true, isConditional: true }).expression(body)
  }

  #function(expression: FunctionExpression): void {
    const { definition, args, place } = expression
    const type = definition.name
    const [template] = args.positional
    if ((type === 'include' || type === 'source') && template !== undefined) {
      const ignoring = args.positional[type === 'include' ? 3 : 1]
      const ignoresMissing = ignoring?.kind === 'literal' && ignoring.value === true
      this.#refer(type, template, { place, ignoresMissing })
    }
    this.#operands(expression)
  }

  /** Returns the paths that are defined when a condition is true, in addition to the known ones. */
  #guardsOf(test: Expression): Guards {
    const { guarded } = this.#context
    const guards = new Set<string>()
    const gather = (expression: Expression): void => {
      if (expression.kind === 'binary' && expression.operator === 'and') {
        gather(expression.left)
        gather(expression.right)
      }
      if (expression.kind !== 'test' || expression.definition.name !== 'defined') return
      const path = this.#originOf(expression.target)
      if (path !== undefined) guards.add(path)
    }
    gather(test)
    // A nested lookup instead of one merged set: merging would copy the set for every condition.
    return guards.size === 0 ? guarded : { has: (path) => guards.has(path) || guarded.has(path) }
  }
}
