import type { Limits } from '../budget.ts'
import { type Definitions, signature } from '../callables/definition.ts'
import { type Place, suggestion, syntaxFault, TwigError } from '../errors.ts'
import { tokenize } from '../lexer/lexer.ts'
import { compilePattern, type Pattern } from '../regex/pattern.ts'
import { bindArguments, type Callee } from '../syntax/bind-arguments.ts'
import type {
  Argument,
  BoundArguments,
  Expression,
  LiteralExpression,
} from '../syntax/expression.ts'
import { operandsOf } from '../syntax/operands.ts'
import type { Body, Module, Statement } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'
import { specialFunctionNames } from './calls.ts'
import { parseExpression } from './expressions.ts'
import { ModuleBuilder } from './module-builder.ts'
import { checkChildBody, printStatement, textStatement } from './statements.ts'
import type { DefinitionMaps, Tag, TagParser, Vocabulary } from './tag.ts'
import { TokenStream } from './token-stream.ts'

export interface ParseOptions {
  readonly name: string | undefined
  readonly vocabulary: Vocabulary
  readonly limits: Pick<Limits, 'sourceLength' | 'sourceTokens'>
  /** Receives each syntax error. When it is set, parsing continues after an error. */
  readonly onFault?: ((fault: TwigError) => void) | undefined
  /** Receives what works but should be written differently. */
  readonly onWarning?: ((warning: TwigError) => void) | undefined
}

/**
 * Parses a template.
 *
 * @throws TwigError of kind `syntax` for the first error, unless `onFault` is set; of kind `limit` when the
 * source is too long or has too many tokens.
 */
export function parse(source: string, options: ParseOptions): Module {
  const { name, limits, onFault } = options
  if (source.length > limits.sourceLength) {
    const place = { templateName: name, line: 1, column: 1 }
    const message = `The template is longer than ${limits.sourceLength} characters.`
    throw new TwigError('limit', message, place)
  }
  const tokens = tokenize(source, { name, tokensMax: limits.sourceTokens, onFault })
  return new Parser(new TokenStream(tokens), options).parseTemplate()
}

/**
 * The maximum nesting of expressions and bodies. The call stack must hold them, at every depth of
 * templates.
 */
const expressionDepthMax = 256
const bodyDepthMax = 100
/** The maximum number of instructions of all regular expressions in a template. */
const patternsSizeMax = 10_000

/** Parses the tokens of one template. */
class Parser implements TagParser {
  readonly tokens: TokenStream
  readonly vocabulary: Vocabulary
  module = new ModuleBuilder()
  private readonly options: ParseOptions
  private readonly depths = new WeakMap<Expression, number>()
  private readonly openTags: OpenTag[] = []
  private readonly unknownTags = new Set<string>()
  private readonly patterns = new Map<string, Pattern>()
  private patternSize = 0
  private nesting = 0
  private allowsUnknownNames = false

  constructor(tokens: TokenStream, options: ParseOptions) {
    this.tokens = tokens
    this.vocabulary = options.vocabulary
    this.options = options
  }

  parseTemplate(): Module {
    const place = { templateName: this.options.name, line: 1, column: 1 }
    const body = this.parseBody([], '')
    return this.finishModule(body, place)
  }

  parseExpression(precedence = 0): Expression {
    if (++this.nesting > expressionDepthMax) {
      throw syntaxFault('The expression is nested too deeply.', this.tokens.place)
    }
    try {
      return parseExpression(this, precedence)
    } finally {
      this.nesting--
    }
  }

  checkDepth<T extends Expression>(expression: T): T {
    let depth = 1
    for (const operand of operandsOf(expression)) {
      depth = Math.max(depth, (this.depths.get(operand) ?? 1) + 1)
    }
    if (depth > expressionDepthMax) {
      throw syntaxFault('The expression is nested too deeply.', expression.place)
    }
    this.depths.set(expression, depth)
    return expression
  }

  parseBody(until: readonly string[], tag: string): Body {
    const body: Statement[] = []
    const startLine = this.tokens.place.line
    while (!this.tokens.isAtEnd()) {
      if (this.tokens.test('block start') && until.includes(this.tokens.peek().value)) {
        this.tokens.next()
        this.markClosed()
        return body
      }
      const before = this.tokens.position
      const statement = this.recover(() => this.parseStatement({ until, tag, startLine }))
      if (statement !== undefined) body.push(statement)
      // After any error the next iteration must start at another token.
      if (this.tokens.position === before) this.tokens.position++
    }
    return body
  }

  parseClosedBody(tag: string, name?: string): Body {
    this.tokens.expect('block end')
    const body = this.parseBody([`end${tag}`], tag)
    this.closeBody(tag, name)
    return body
  }

  closeBody(tag: string, name?: string): void {
    const { tokens } = this
    tokens.nextIf('name', `end${tag}`)
    const closing = name === undefined ? undefined : tokens.nextIf('name')
    if (closing !== undefined && closing.value !== name) {
      throw syntaxFault(
        `Expected end${tag} for ${tag} "${name}" (but "${closing.value}" given).`,
        tokens.place,
      )
    }
    tokens.expect('block end')
  }

  parseModule(parent: Expression, until: string): Module {
    const outer = this.module
    const place = this.tokens.place
    this.module = new ModuleBuilder(parent)
    try {
      const body = this.parseBody([until], 'embed')
      return this.finishModule(body, place)
    } finally {
      this.module = outer
    }
  }

  allowUnknownNames<T>(parseSkipped: () => T): T {
    const before = this.allowsUnknownNames
    this.allowsUnknownNames = true
    try {
      return parseSkipped()
    } finally {
      this.allowsUnknownNames = before
    }
  }

  /** Finds a definition. When parsing continues, an unknown one gives a placeholder. */
  find<Kind extends keyof Definitions>(kind: Kind, name: string, place: Place): Definitions[Kind] {
    if (kind !== 'test') this.module.recordUse(kind, name, place)
    const maps: DefinitionMaps = this.vocabulary
    const definitions: ReadonlyMap<string, Definitions[Kind]> = maps[kind]
    const definition = definitions.get(name)
    if (definition?.deprecation !== undefined) this.warn(definition.deprecation, place)
    if (definition !== undefined) return definition
    if (!this.allowsUnknownNames) {
      const special = kind === 'function' ? specialFunctionNames : []
      const near = suggestion(name, [...definitions.keys(), ...special])
      this.report(syntaxFault(`Unknown "${name}" ${kind}.${near}`, place))
    }
    return { ...placeholder, name }
  }

  bindArguments(callee: Callee, args: readonly Argument[]): BoundArguments {
    try {
      return bindArguments(callee, args)
    } catch (error) {
      this.report(error)
      return { positional: args.map(({ value }) => value), rest: [], spread: [] }
    }
  }

  compilePattern({ value, place }: LiteralExpression): Pattern | undefined {
    const text = toText(value)
    try {
      if (this.patternSize > patternsSizeMax) throw patternsTooLarge(place)
      const pattern = this.patterns.get(text) ?? compilePattern(text)
      this.patterns.set(text, pattern)
      this.patternSize += pattern.size
      if (this.patternSize <= patternsSizeMax) return pattern
      throw patternsTooLarge(place)
    } catch (error) {
      const isInvalid = error instanceof TwigError && error.kind === 'runtime'
      this.report(isInvalid ? syntaxFault(`${error.rawMessage}.`, place) : error)
      return undefined
    }
  }

  warn(message: string, place: Place): void {
    this.options.onWarning?.(new TwigError('syntax', message, place))
  }

  private parseStatement(open: OpenBody): Statement | undefined {
    const { tokens } = this
    const place = tokens.place
    const text = tokens.nextIf('text')
    if (text !== undefined) return textStatement(text.value, place)
    if (tokens.nextIf('print start') !== undefined) {
      const expression = this.parseExpression()
      tokens.expect('print end')
      return printStatement(expression, place)
    }
    if (tokens.nextIf('fault') !== undefined) return undefined
    tokens.expect('block start')
    return this.parseTag(open)
  }

  private parseTag(open: OpenBody): Statement | undefined {
    const place = this.tokens.place
    if (!this.tokens.test('name')) throw syntaxFault('A block must start with a tag name.', place)
    const { value: name } = this.tokens.current
    const tag = this.vocabulary.tag.get(name)
    if (tag === undefined) throw this.unknownTag(name, open, place)
    this.module.recordUse('tag', name, place)
    this.tokens.next()
    if (this.openTags.length >= bodyDepthMax)
      throw syntaxFault('Tags are nested too deeply.', place)
    const openTag: OpenTag = { tag, start: this.tokens.position, isClosed: false }
    this.openTags.push(openTag)
    try {
      const statement = tag.parse(this, place)
      return statement === undefined ? undefined : { ...statement, tag: name }
    } catch (error) {
      this.report(error)
      this.skipFaultyTag(openTag)
      return undefined
    } finally {
      this.openTags.pop()
    }
  }

  /**
   * Continues after a tag that contains an error. When its body is still open, parses that body: its
   * errors are reported too, and its closing tag is expected.
   */
  private skipFaultyTag(open: OpenTag): void {
    const { tokens } = this
    tokens.leaveTag()
    const { tag } = open
    if (tag.end === undefined || open.isClosed) return
    if (tag.hasBody !== undefined && !tag.hasBody(tokens.headerFrom(open.start))) return
    while (!open.isClosed && !tokens.isAtEnd()) {
      this.parseBody([tag.end, ...(tag.branchTags ?? [])], tag.name)
      tokens.leaveTag()
    }
  }

  private unknownTag(name: string, open: OpenBody, place: Place): TwigError {
    if (open.until.length > 0 && this.isEndOfAnyTag(name)) {
      return syntaxFault(
        `Unexpected "${name}" tag (expecting closing tag for the "${open.tag}" tag defined near line ${open.startLine}).`,
        place,
      )
    }
    this.unknownTags.add(name)
    const near = suggestion(name, [...this.vocabulary.tag.keys(), ...open.until])
    return syntaxFault(`Unknown "${name}" tag.${near}`, place)
  }

  private isEndOfAnyTag(name: string): boolean {
    for (const { end, branchTags } of this.vocabulary.tag.values()) {
      if (end === name || branchTags?.includes(name)) return true
    }
    return false
  }

  private markClosed(): void {
    const open = this.openTags.at(-1)
    if (open !== undefined && this.tokens.current.value === open.tag.end) open.isClosed = true
  }

  private finishModule(body: Body, place: Place): Module {
    const { parent, macros, uses, usedNames } = this.module
    if (parent !== undefined) this.recover(() => checkChildBody(body))
    const { name } = this.options
    const tokenCount = this.tokens.position
    return { name, tokenCount, place, body, parent, macros, uses, usedNames }
  }

  /** Reports an error and continues after the tag or print that contains it. */
  private recover<T>(parsePart: () => T): T | undefined {
    try {
      return parsePart()
    } catch (error) {
      this.report(error)
      this.tokens.leaveTag()
      return undefined
    }
  }

  /** Reports an error to `onFault`. Without it, throws the error. */
  private report(error: unknown): void {
    if (!(error instanceof TwigError) || this.options.onFault === undefined) throw error
    const isEndOfUnknown = [...this.unknownTags].some((name) =>
      error.rawMessage.startsWith(`Unknown "end${name}" tag.`),
    )
    // The lexer has already reported the error of this token.
    if (!this.tokens.test('fault') && !isEndOfUnknown) this.options.onFault(error)
  }
}

function patternsTooLarge(place: Place): TwigError {
  return new TwigError('limit', 'The patterns of the template are too large.', place)
}

/** The body that is being parsed: the tags that end it, its own tag, and its first line. */
interface OpenBody {
  readonly until: readonly string[]
  readonly tag: string
  readonly startLine: number
}

/** A tag that is being parsed. */
interface OpenTag {
  readonly tag: Tag
  /** The index of the token after its name. */
  readonly start: number
  /** True once the parser has met the closing tag. */
  isClosed: boolean
}

/**
 * A filter, function or test with an unknown name, for code that never runs: the dead branch of
 * `guard`, and templates that already have an error. It accepts any arguments.
 */
const placeholder = {
  signature: signature('...arguments'),
  apply: () => null,
  call: () => null,
  check: () => false,
}
