import type { Limits } from '../budget.ts'
import type {
  FilterDefinition,
  FunctionDefinition,
  TestDefinition,
} from '../callables/definition.ts'
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
import { createModuleBuilder } from './module-builder.ts'
import {
  type OpenTag,
  skipFaultyTag,
  unknownFilter,
  unknownFunction,
  unknownTest,
} from './recovery.ts'
import { checkChildBody, printStatement, textStatement } from './statements.ts'
import type { ModuleBuilder, TagParser, Vocabulary } from './tag.ts'
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
  return new Parser(new TokenStream(tokens, name), options).parseTemplate()
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
  module: ModuleBuilder = createModuleBuilder()
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
    const startLine = this.tokens.current.line
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

  parseClosedBody(until: string, tag: string): Body {
    const body = this.parseBody([until], tag)
    this.tokens.nextIf('name', until)
    this.tokens.expect('block end')
    return body
  }

  parseModule(parent: Expression, until: string): Module {
    const outer = this.module
    const place = this.tokens.place
    this.module = createModuleBuilder()
    this.module.parent = parent
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

  findFilter(name: string, place: Place): FilterDefinition {
    recordFirst(this.module.usedNames.filters, name, place)
    const { filters } = this.vocabulary
    return this.resolve(filters.get(name), unknownFilter(name), {
      message: `Unknown "${name}" filter.`,
      known: [name, filters.keys()],
      place,
    })
  }

  findFunction(name: string, place: Place): FunctionDefinition {
    recordFirst(this.module.usedNames.functions, name, place)
    const { functions } = this.vocabulary
    return this.resolve(functions.get(name), unknownFunction(name), {
      message: `Unknown "${name}" function.`,
      known: [name, [...functions.keys(), ...specialFunctionNames]],
      place,
    })
  }

  findTest(name: string, place: Place): TestDefinition {
    const { tests } = this.vocabulary
    return this.resolve(tests.get(name), unknownTest(name), {
      message: `Unknown "${name}" test.`,
      known: [name, tests.keys()],
      place,
    })
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

  /** Returns the definition, or a placeholder for an unknown one when parsing continues. */
  private resolve<T extends { name: string; deprecation?: string }>(
    definition: T | undefined,
    placeholder: T,
    unknown: { message: string; known: [string, Iterable<string>]; place: Place },
  ): T {
    if (definition?.deprecation !== undefined) this.warn(definition.deprecation, unknown.place)
    if (definition !== undefined) return definition
    if (!this.allowsUnknownNames) {
      const [name, candidates] = unknown.known
      this.report(syntaxFault(unknown.message + suggestion(name, candidates), unknown.place))
    }
    return placeholder
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
    const tag = this.vocabulary.tags.get(name)
    if (tag === undefined) throw this.unknownTag(name, open, place)
    recordFirst(this.module.usedNames.tags, name, place)
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
      skipFaultyTag(this, openTag)
      return undefined
    } finally {
      this.openTags.pop()
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
    const near = suggestion(name, [...this.vocabulary.tags.keys(), ...open.until])
    return syntaxFault(`Unknown "${name}" tag.${near}`, place)
  }

  private isEndOfAnyTag(name: string): boolean {
    for (const { end, branchTags } of this.vocabulary.tags.values()) {
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

function recordFirst(places: Map<string, Place>, name: string, place: Place): void {
  if (!places.has(name)) places.set(name, place)
}
