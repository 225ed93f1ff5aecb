import type {
  FilterDefinition,
  FunctionDefinition,
  TestDefinition,
} from '../callables/definition.ts'
import type { Place } from '../errors.ts'
import type { Pattern } from '../regex/pattern.ts'
import type { Access } from '../runtime/attributes.ts'
import type { Value } from '../values/value.ts'

/** A parsed expression. Filters, functions and tests are already resolved. */
export type Expression =
  | LiteralExpression
  | NameExpression
  | CollectionExpression
  | UnaryExpression
  | BinaryExpression
  | ConditionalExpression
  | AttributeExpression
  | FilterExpression
  | FunctionExpression
  | TestExpression
  | ArrowExpression
  | MacroCallExpression
  | BlockExpression
  | ParentExpression
  | AssignExpression
  | DestructureExpression
  | CaptureExpression
  | EmptySlotExpression

interface Node<K extends string> {
  readonly kind: K
  readonly place: Place
  /** True for an expression in parentheses. */
  readonly isGrouped?: boolean
}

export interface LiteralExpression extends Node<'literal'> {
  readonly value: Value
}

export interface NameExpression extends Node<'name'> {
  readonly name: string
}

/** `[a, b]` or `{k: a}`. `...a` spreads a collection into it. */
export interface CollectionExpression extends Node<'collection'> {
  readonly isMapping: boolean
  readonly items: readonly CollectionItem[]
}

export interface CollectionItem {
  readonly key?: Expression
  readonly value: Expression
  readonly isSpread: boolean
}

export type UnaryOperator = 'not' | '-' | '+' | '...'

export interface UnaryExpression extends Node<'unary'> {
  readonly operator: UnaryOperator
  readonly operand: Expression
}

export interface BinaryExpression extends Node<'binary'> {
  readonly operator: string
  readonly left: Expression
  readonly right: Expression
  /** The compiled pattern of `matches`, when the pattern is a constant. */
  readonly pattern?: Pattern | undefined
}

/** `test ? then : otherwise`. */
export interface ConditionalExpression extends Node<'conditional'> {
  readonly test: Expression
  readonly then: Expression
  readonly otherwise: Expression
}

/** `target.attribute`, `target[attribute]` or `target.attribute(…)`. */
export interface AttributeExpression extends Node<'attribute'> {
  readonly target: Expression
  readonly attribute: Expression
  readonly access: Access
  readonly args: readonly Argument[]
  /** `target?.attribute`: null when the target is null. */
  readonly isNullSafe: boolean
}

/** One argument as written. */
export interface Argument {
  readonly name?: string
  readonly value: Expression
  readonly isSpread: boolean
}

/**
 * Arguments in the order of the parameters; `rest` are surplus ones. With spread arguments the
 * order is known only while rendering: `positional` and `rest` are as written then.
 */
export interface BoundArguments {
  readonly positional: readonly Expression[]
  readonly rest: readonly { readonly name?: string; readonly value: Expression }[]
  readonly spread: readonly Expression[]
}

export interface FilterExpression extends Node<'filter'> {
  readonly target: Expression
  readonly definition: FilterDefinition
  readonly args: BoundArguments
}

export interface FunctionExpression extends Node<'function'> {
  readonly definition: FunctionDefinition
  readonly args: BoundArguments
}

export interface TestExpression extends Node<'test'> {
  readonly target: Expression
  readonly definition: TestDefinition
  readonly args: BoundArguments
}

export interface ArrowExpression extends Node<'arrow'> {
  readonly parameters: readonly string[]
  readonly body: Expression
}

/** The imported template that a macro is looked up in. */
export interface MacroSource {
  /** `_self`, or the key of the loaded template while rendering. */
  readonly key: string
  /**
   * True for an import at the top of a template: it is visible everywhere. Other imports are
   * visible in one block or macro.
   */
  readonly isGlobal: boolean
  /** The name in the template, for error messages. */
  readonly alias: string
}

export interface MacroCallExpression extends Node<'macro'> {
  readonly source: MacroSource
  readonly name: string
  readonly args: readonly Argument[]
}

/** `block('name')` or `block('name', 'template')`. */
export interface BlockExpression extends Node<'block'> {
  readonly name: Expression
  readonly template: Expression | undefined
}

/** `parent()`. */
export interface ParentExpression extends Node<'parent'> {
  readonly blockName: string
}

/** `a = 1` as an expression. */
export interface AssignExpression extends Node<'assign'> {
  readonly name: string
  readonly value: Expression
}

/** `[a, b] = c` or `{a, b: c} = d`. */
export interface DestructureExpression extends Node<'destructure'> {
  readonly isMapping: boolean
  /** The variables and the keys that they read. A gap in a sequence has no name. */
  readonly targets: readonly { readonly key: Value; readonly name: string | undefined }[]
  readonly value: Expression
}

/** The output of the body of `apply`, which its filters are applied to. */
interface CaptureExpression extends Node<'capture'> {
  readonly slot: symbol
}

/** A gap in a sequence, `[a, , b]`. Only destructuring allows it. */
interface EmptySlotExpression extends Node<'empty'> {}
