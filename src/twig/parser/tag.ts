import type { Callee } from '../callables/bind-arguments.ts'
import type {
  FilterDefinition,
  FunctionDefinition,
  TestDefinition,
} from '../callables/definition.ts'
import type { Token } from '../lexer/token.ts'
import type {
  Argument,
  BoundArguments,
  Expression,
  LiteralExpression,
  MacroSource,
} from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, MacroStatement, Module, Statement, UseClause } from '../syntax/statement.ts'
import type { TokenStream } from './token-stream.ts'

/** A tag of the language: how `{% name … %}` is read. */
export interface Tag {
  readonly name: string
  /** The tag that closes its body, for those that have one. */
  readonly end?: string
  /** Tags that part its body, such as `else`. */
  readonly forks?: readonly string[]
  /** Whether it has a body, where that depends on what follows its name. */
  hasBody?(header: readonly Token[]): boolean
  /** Reads the tag from behind its name to the end of it. Nothing is given where it leaves no trace. */
  parse(parser: TagParser, place: Place): Statement | undefined
}

/** The names that a template may use. */
export interface Vocabulary {
  readonly tags: ReadonlyMap<string, Tag>
  readonly filters: ReadonlyMap<string, FilterDefinition>
  readonly functions: ReadonlyMap<string, FunctionDefinition>
  readonly tests: ReadonlyMap<string, TestDefinition>
}

/** What the tags and expressions of a template are parsed with. */
export interface TagParser {
  readonly tokens: TokenStream
  readonly vocabulary: Vocabulary
  readonly module: ModuleBuilder
  parseExpression(precedence?: number): Expression
  /** The expression itself; throws where it holds others deeper than the stack may. */
  deepen<T extends Expression>(expression: T): T
  /** Arguments put in the order of the parameters. */
  bindArguments(callee: Callee, args: readonly Argument[]): BoundArguments
  /** Makes sure that a constant is a regular expression that `matches` can use. */
  checkPattern(pattern: LiteralExpression): void
  /** The body up to one of these tags, whose name is then the current token; `tag` is the one open. */
  parseBody(until: readonly string[], tag: string): Body
  /** The body up to the tag that closes it, and that tag. */
  parseClosedBody(until: string, tag: string): Body
  /** A template inside this one, up to a tag whose name is then the current token. */
  parseModule(parent: Expression, until: string): Module
  /** Parses with unknown filters, functions and tests let pass, for what will never run. */
  tolerant<T>(parse: () => T): T
  findFilter(name: string, place: Place): FilterDefinition
  findFunction(name: string, place: Place): FunctionDefinition
  findTest(name: string, place: Place): TestDefinition
  /** Told of what runs but should not be written so. */
  warn(message: string, place: Place): void
}

/** What an imported name stands for. */
export type ImportedSymbol =
  | { readonly type: 'template'; readonly source: MacroSource }
  | { readonly type: 'function'; readonly source: MacroSource; readonly macro: string }

/** The parts of one template while it is parsed. */
export interface ModuleBuilder {
  readonly macros: MacroStatement[]
  readonly uses: UseClause[]
  parent: Expression | undefined
  /** Where each block was defined. */
  readonly blocks: Map<string, Place>
  /** The blocks that are open here, the innermost last. */
  readonly openBlocks: string[]
  /** Imported names: those of the top first, then of each block or macro that is open. */
  readonly scopes: Map<string, ImportedSymbol>[]
  readonly vocabulary: Module['vocabulary']
}
