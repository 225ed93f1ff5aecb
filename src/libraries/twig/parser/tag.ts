import type { Definitions } from '../callables/definition.ts'
import type { Place } from '../errors.ts'
import type { Token } from '../lexer/token.ts'
import type { Pattern } from '../regex/pattern.ts'
import type { Callee } from '../syntax/bind-arguments.ts'
import type {
  Argument,
  BoundArguments,
  Expression,
  LiteralExpression,
} from '../syntax/expression.ts'
import type { Body, Module, Statement } from '../syntax/statement.ts'
import type { ModuleBuilder } from './module-builder.ts'
import type { TokenStream } from './token-stream.ts'

/** A tag of the language. It defines how `{% name … %}` is parsed. */
export interface Tag {
  readonly name: string
  /** The tag that closes its body, if it has a body. */
  readonly end?: string
  /** Tags that divide its body, such as `else`. */
  readonly branchTags?: readonly string[]
  /**
   * Decides by its header whether the tag has a body. Tags without this method have one when `end`
   * is set.
   */
  hasBody?(header: readonly Token[]): boolean
  /**
   * Parses the tag from after its name to its end. Returns undefined when it leaves no statement.
   */
  parse(parser: TagParser, place: Place): Statement | undefined
}

/** The tags, filters, functions and tests that a template may use. */
export interface Vocabulary extends DefinitionMaps {
  readonly tag: ReadonlyMap<string, Tag>
}

export type DefinitionMaps = {
  readonly [Kind in keyof Definitions]: ReadonlyMap<string, Definitions[Kind]>
}

/** What tags and expressions are parsed with. */
export interface TagParser {
  readonly tokens: TokenStream
  readonly vocabulary: Vocabulary
  readonly module: ModuleBuilder
  parseExpression(precedence?: number): Expression
  /** Returns the expression. Throws when it is nested too deeply. */
  checkDepth<T extends Expression>(expression: T): T
  /** Puts arguments in the order of the parameters. */
  bindArguments(callee: Callee, args: readonly Argument[]): BoundArguments
  /** Compiles a constant pattern. Returns undefined for an invalid one when parsing continues. */
  compilePattern(pattern: LiteralExpression): Pattern | undefined
  /**
   * Parses a body up to one of these tags. The name of that tag is the current token then. `tag` is
   * the open tag.
   */
  parseBody(until: readonly string[], tag: string): Body
  /** Parses the end of a tag, its body and its closing tag, which may repeat the name of a block or macro. */
  parseClosedBody(tag: string, name?: string): Body
  closeBody(tag: string, name?: string): void
  /** Parses an embedded template up to a tag. The name of that tag is the current token then. */
  parseModule(parent: Expression, until: string): Module
  /** Parses code that never runs: unknown filters, functions and tests are accepted. */
  allowUnknownNames<T>(parse: () => T): T
  find<Kind extends keyof Definitions>(kind: Kind, name: string, place: Place): Definitions[Kind]
  /** Reports something that works but should be written differently. */
  warn(message: string, place: Place): void
}
