import type { Evaluate, Execute, Macro, Template } from '../runtime/render.ts'
import type { Expression } from './expression.ts'
import type { Place } from './place.ts'

/**
 * What a statement means for a template that extends another: what prints may not stand outside of a
 * block there, blanks and blocks are passed over, the rest runs before the parent.
 */
type Role = 'output' | 'blank' | 'block' | 'capture' | 'silent'

/** A statement as it was parsed: a tag, a print, or text. */
export interface Statement {
  readonly place: Place
  readonly role: Role
  /** The tag that made it; none for text and prints. */
  readonly tag?: string
  /** The text, of text. */
  readonly text?: string
  /** The bodies inside it that are part of this template's own flow. */
  readonly bodies?: readonly Body[]
  compile(compiler: Compiler): Execute
  /** Tells what it reads, sets and refers to. */
  visit(visitor: Visitor): void
}

export type Body = readonly Statement[]

/** An escaping strategy, or false where nothing is escaped. */
export type Strategy = string | false

/** What statements are compiled with: one template, one place in it. */
export interface Compiler {
  /** How what is printed here is escaped. */
  readonly strategy: Strategy
  readonly templateName: string | undefined
  expression(expression: Expression): Evaluate
  /** A printed expression, escaped by the strategy of this place. */
  print(expression: Expression): Execute
  body(body: Body): Execute
  /** The same place with another strategy. */
  escapingBy(strategy: Strategy): Compiler
  /** A body with variables of its own: what it sets is not seen here. */
  isolated(): Compiler
  /** The body of a loop, and the names that it sets; the loop lets go of those that were not there. */
  loop(): { compiler: Compiler; assigned: ReadonlySet<string> }
  /** Told by whatever sets a variable. */
  noteAssignment(name: string): void
  defineBlock(name: string, execute: Execute): void
  defineMacro(macro: Macro): void
  /** A template inside this one, for `embed`. */
  module(module: Module): Template
}

/** A template as it was parsed, or one embedded in another. */
export interface Module {
  readonly name: string | undefined
  /** How many tokens there were to read. */
  readonly tokenCount: number
  readonly place: Place
  readonly body: Body
  readonly parent: Expression | undefined
  readonly macros: readonly MacroStatement[]
  readonly uses: readonly UseClause[]
  /** The tags, filters and functions named, each with its first place. */
  readonly vocabulary: {
    readonly tags: Map<string, Place>
    readonly filters: Map<string, Place>
    readonly functions: Map<string, Place>
  }
}

export interface MacroStatement {
  readonly name: string
  readonly place: Place
  readonly parameters: readonly { readonly name: string; readonly fallback: Expression }[]
  readonly body: Body
}

export interface UseClause {
  readonly templateName: string
  readonly place: Place
  readonly aliases: ReadonlyMap<string, string>
}

/** How one template refers to another. */
export type ReferenceType = 'include' | 'extends' | 'embed' | 'import' | 'use' | 'source' | 'block'

/** Walks over a template to find what it reads and refers to. */
export interface Visitor {
  expression(expression: Expression): void
  /** A body that is always walked through, in the variables of this place. */
  body(body: Body): void
  /** A body that is left out where `guard` is false, or at times. */
  conditional(body: Body, guard?: Expression): void
  /** A body whose variables end with it, and those that it begins with. */
  isolated(body: Body, variables?: readonly string[]): void
  block(body: Body): void
  /** A loop over a collection with a value, perhaps a key. */
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
