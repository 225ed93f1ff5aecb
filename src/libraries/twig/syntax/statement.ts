import type { Place } from '../errors.ts'
import type {
  Evaluate,
  EvaluateMaybe,
  Execute,
  Template,
  Use,
  UsedNames,
} from '../runtime/render.ts'
import type { Expression } from './expression.ts'

/**
 * How a statement behaves in a template that extends another one. `output` is forbidden outside of
 * blocks, `blank` and `block` are skipped, the others run before the parent.
 */
type Role = 'output' | 'blank' | 'block' | 'capture' | 'silent'

/** A parsed statement: a tag, a print, or text. */
export interface Statement {
  readonly place: Place
  readonly role: Role
  /** The name of the tag; undefined for text and prints. */
  readonly tag?: string
  /** The text of a text statement. */
  readonly text?: string
  /** The nested bodies that are part of the template's own flow. */
  readonly bodies?: readonly Body[]
  compile(compiler: Compiler): Execute
  /** Reports what the statement reads, sets and refers to. */
  visit(walker: Walker): void
}

export type Body = readonly Statement[]

/** An escaping strategy, or false for no escaping. */
export type Strategy = string | false

/** Compiles the statements and expressions at one place of a template. */
export interface Compiler {
  /** The escaping strategy at this place. */
  readonly strategy: Strategy
  readonly templateName: string | undefined
  expression(expression: Expression): Evaluate
  /** Like `expression`, but missing values give undefined: for `default`, `??` and `is defined`. */
  lenientExpression(expression: Expression): EvaluateMaybe
  /** Runs a compile step and counts the expressions in it. */
  measureCost<T>(compile: () => T): { compiled: T; cost: number }
  /** Compiles a printed expression, escaped by the strategy of this place. */
  print(expression: Expression): Execute
  body(body: Body): Execute
  /** Returns a compiler with another escaping strategy. */
  escapingBy(strategy: Strategy): Compiler
  /** Returns a compiler for a body with its own variables. */
  isolated(): Compiler
  /** Returns a compiler for a loop body, and the names that the body sets. */
  loop(): { compiler: Compiler; assigned: ReadonlySet<string> }
  /** Records that a statement or expression sets a variable. */
  recordAssignment(name: string): void
  defineBlock(name: string, execute: Execute): void
  /** Compiles an embedded template. */
  module(module: Module): Template
}

/** A parsed template, or an embedded one. */
export interface Module {
  readonly name: string | undefined
  /** The number of tokens in its source. */
  readonly tokenCount: number
  readonly place: Place
  readonly body: Body
  readonly parent: Expression | undefined
  readonly macros: readonly MacroStatement[]
  readonly uses: readonly Use[]
  readonly usedNames: UsedNames
}

export interface MacroStatement {
  readonly name: string
  readonly place: Place
  readonly parameters: readonly { readonly name: string; readonly fallback: Expression }[]
  readonly body: Body
}

/** The kind of a reference to another template. */
export type ReferenceType = 'include' | 'extends' | 'embed' | 'import' | 'use' | 'source' | 'block'

/** Receives the parts of a statement during analysis. */
export interface Walker {
  expression(expression: Expression): void
  /** Walks a body that every render executes, with the current variables. */
  body(body: Body): void
  /** Walks a body that some renders skip. `guard` is its condition. */
  conditional(body: Body, guard?: Expression): void
  /** Walks a body with its own variables, some of which are already set. */
  isolated(body: Body, variables?: readonly string[]): void
  block(body: Body): void
  /** Walks a loop over a collection. */
  loop(options: { over: Expression; key: string; value: string; body: Body }): void
  assign(name: string, value: Expression | undefined): void
  reference(options: {
    type: ReferenceType
    template: Expression
    place: Place
    ignoresMissing?: boolean
  }): void
  module(module: Module): void
}
