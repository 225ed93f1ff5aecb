import type {
  FilterDefinition,
  FunctionDefinition,
  TestDefinition,
} from '../callables/definition.ts'
import type { Access } from '../runtime/attributes.ts'
import type { Value } from '../values/value.ts'
import type { Place } from './place.ts'

/** An expression as it was parsed. Names of filters, functions and tests are resolved already. */
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
  /** It stood in brackets of its own. */
  readonly isGrouped?: boolean
}

export interface LiteralExpression extends Node<'literal'> {
  readonly value: Value
}

export interface NameExpression extends Node<'name'> {
  readonly name: string
}

/** `[a, b]` or `{k: a}`; `...a` spreads a collection into it. */
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
}

/** `test ? then : otherwise`. */
export interface ConditionalExpression extends Node<'conditional'> {
  readonly test: Expression
  readonly then: Expression
  readonly otherwise: Expression
}

/** `target.attribute`, `target[attribute]`, `target.attribute(…)`. */
export interface AttributeExpression extends Node<'attribute'> {
  readonly target: Expression
  readonly attribute: Expression
  readonly access: Access
  readonly args: readonly Argument[]
  /** `target?.attribute`: null where the target is null. */
  readonly isNullSafe: boolean
}

/** One argument as written. */
export interface Argument {
  readonly name?: string
  readonly value: Expression
  readonly isSpread: boolean
}

/**
 * Arguments in the order of the parameters they were given for; `rest` are those beyond them. Where
 * some are spread, only rendering can count them: then `positional` and `rest` are as written.
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

/** What an `import` or `from` has named: where a macro is looked for. */
export interface MacroSource {
  /** `_self`, or the key under which the loaded template is kept while rendering. */
  readonly key: string
  /** Kept for the whole template (imported at its top), not for one block or macro. */
  readonly isGlobal: boolean
  /** The name that the author wrote, for messages. */
  readonly alias: string
}

export interface MacroCallExpression extends Node<'macro'> {
  readonly source: MacroSource
  readonly name: string
  readonly args: readonly Argument[]
}

/** `block('name')`, `block('name', 'template')`. */
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

/** `[a, b] = c` and `{a, b: c} = d`. */
export interface DestructureExpression extends Node<'destructure'> {
  readonly isMapping: boolean
  /** The variables, each with the key that it reads; a gap in a sequence has no name. */
  readonly targets: readonly { readonly key: Value; readonly name: string | undefined }[]
  readonly value: Expression
}

/** What the body of `apply` printed: the filters of that tag apply to it. */
interface CaptureExpression extends Node<'capture'> {
  readonly slot: symbol
}

/** A gap in a sequence, `[a, , b]`; only destructuring may have one. */
interface EmptySlotExpression extends Node<'empty'> {}
