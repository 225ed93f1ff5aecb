import { bindArguments, type Callee } from '../callables/bind-arguments.ts'
import type {
  FilterDefinition,
  FunctionDefinition,
  TestDefinition,
} from '../callables/definition.ts'
import { syntaxFault } from '../errors/faults.ts'
import { suggestion } from '../errors/suggest.ts'
import { TwigError } from '../errors/twig-error.ts'
import { compilePattern, type Pattern } from '../regex/php-pattern.ts'
import type {
  Argument,
  BoundArguments,
  Expression,
  LiteralExpression,
} from '../syntax/expression.ts'
import { operandsOf } from '../syntax/operands.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Module, Statement } from '../syntax/statement.ts'
import { toText } from '../values/text.ts'
import { checkChildBody } from './child-template.ts'
import { parseExpression } from './expressions.ts'
import { specialFunctionNames } from './function-calls.ts'
import { createModuleBuilder } from './module-builder.ts'
import type { ParseOptions } from './parse-options.ts'
import { printStatement, textStatement } from './plain-statements.ts'
import { type OpenTag, skipFaultyTag } from './recovery.ts'
import type { ModuleBuilder, TagParser, Vocabulary } from './tag.ts'
import type { TokenStream } from './token-stream.ts'
import { unknownFilter, unknownFunction, unknownTest } from './unknown.ts'

/** How deep expressions and bodies may nest: the stack must hold them, at every depth of templates. */
const deepestExpression = 256
const deepestBody = 100
/** How many instructions all regular expressions of a template may have. */
const largestPatterns = 10_000

/** Parses one template: the tokens of it into its parts. */
export class Parser implements TagParser {
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
  private isTolerant = false

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
    if (++this.nesting > deepestExpression) {
      throw syntaxFault('The expression is nested too deeply.', this.tokens.place)
    }
    try {
      return parseExpression(this, precedence)
    } finally {
      this.nesting--
    }
  }

  deepen<T extends Expression>(expression: T): T {
    let depth = 1
    for (const operand of operandsOf(expression)) {
      depth = Math.max(depth, (this.depths.get(operand) ?? 1) + 1)
    }
    if (depth > deepestExpression) {
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
        this.noteNeedle()
        return body
      }
      const before = this.tokens.position
      const statement = this.recovering(() => this.parseStatement({ until, tag, startLine }))
      if (statement !== undefined) body.push(statement)
      // Whatever went wrong, the next round must find something else.
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

  tolerant<T>(parseDead: () => T): T {
    const before = this.isTolerant
    this.isTolerant = true
    try {
      return parseDead()
    } finally {
      this.isTolerant = before
    }
  }

  findFilter(name: string, place: Place): FilterDefinition {
    note(this.module.vocabulary.filters, name, place)
    const { filters } = this.vocabulary
    return this.found(filters.get(name), unknownFilter(name), {
      message: `Unknown "${name}" filter.`,
      known: [name, filters.keys()],
      place,
    })
  }

  findFunction(name: string, place: Place): FunctionDefinition {
    note(this.module.vocabulary.functions, name, place)
    const { functions } = this.vocabulary
    return this.found(functions.get(name), unknownFunction(name), {
      message: `Unknown "${name}" function.`,
      known: [name, [...functions.keys(), ...specialFunctionNames]],
      place,
    })
  }

  findTest(name: string, place: Place): TestDefinition {
    const { tests } = this.vocabulary
    return this.found(tests.get(name), unknownTest(name), {
      message: `Unknown "${name}" test.`,
      known: [name, tests.keys()],
      place,
    })
  }

  bindArguments(callee: Callee, args: readonly Argument[]): BoundArguments {
    try {
      return bindArguments(callee, args)
    } catch (error) {
      this.tell(error)
      return { positional: args.map(({ value }) => value), rest: [], spread: [] }
    }
  }

  compilePattern({ value, place }: LiteralExpression): Pattern | undefined {
    const text = toText(value)
    try {
      if (this.patternSize > largestPatterns) throw patternsTooLarge(place)
      const pattern = this.patterns.get(text) ?? compilePattern(text)
      this.patterns.set(text, pattern)
      this.patternSize += pattern.size
      if (this.patternSize <= largestPatterns) return pattern
      throw patternsTooLarge(place)
    } catch (error) {
      const isInvalid = error instanceof TwigError && error.kind === 'runtime'
      this.tell(isInvalid ? syntaxFault(`${error.rawMessage}.`, place) : error)
      return undefined
    }
  }

  warn(message: string, place: Place): void {
    this.options.onWarning?.(new TwigError('syntax', message, place))
  }

  /** The definition, or a stand-in for an unknown one where parsing goes on. */
  private found<T extends { name: string; deprecation?: string }>(
    definition: T | undefined,
    standIn: T,
    unknown: { message: string; known: [string, Iterable<string>]; place: Place },
  ): T {
    if (definition?.deprecation !== undefined) this.warn(definition.deprecation, unknown.place)
    if (definition !== undefined) return definition
    if (!this.isTolerant) {
      const [name, candidates] = unknown.known
      this.tell(syntaxFault(unknown.message + suggestion(name, candidates), unknown.place))
    }
    return standIn
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
    note(this.module.vocabulary.tags, name, place)
    this.tokens.next()
    if (this.openTags.length >= deepestBody) throw syntaxFault('Tags are nested too deeply.', place)
    const openTag: OpenTag = { tag, start: this.tokens.position, isClosed: false }
    this.openTags.push(openTag)
    try {
      const statement = tag.parse(this, place)
      return statement === undefined ? undefined : { ...statement, tag: name }
    } catch (error) {
      this.tell(error)
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
    for (const { end, forks } of this.vocabulary.tags.values()) {
      if (end === name || forks?.includes(name)) return true
    }
    return false
  }

  private noteNeedle(): void {
    const open = this.openTags.at(-1)
    if (open !== undefined && this.tokens.current.value === open.tag.end) open.isClosed = true
  }

  private finishModule(body: Body, place: Place): Module {
    const { parent, macros, uses, vocabulary } = this.module
    if (parent !== undefined) this.recovering(() => checkChildBody(body))
    const { name } = this.options
    const tokenCount = this.tokens.position
    return { name, tokenCount, place, body, parent, macros, uses, vocabulary }
  }

  /** Where faults are told, tells one and goes on behind the tag or print that holds it. */
  private recovering<T>(parsePart: () => T): T | undefined {
    try {
      return parsePart()
    } catch (error) {
      this.tell(error)
      this.tokens.leaveTag()
      return undefined
    }
  }

  /** Tells a fault, or throws it where nobody wants to be told. */
  private tell(error: unknown): void {
    if (!(error instanceof TwigError) || this.options.onFault === undefined) throw error
    const isEndOfUnknown = [...this.unknownTags].some((name) =>
      error.rawMessage.startsWith(`Unknown "end${name}" tag.`),
    )
    // The lexer has told of the fault that left this token.
    if (!this.tokens.test('fault') && !isEndOfUnknown) this.options.onFault(error)
  }
}

function patternsTooLarge(place: Place): TwigError {
  return new TwigError('limit', 'The patterns of the template are too large.', place)
}

/** The body that is being parsed: what ends it, whose it is, where it began. */
interface OpenBody {
  readonly until: readonly string[]
  readonly tag: string
  readonly startLine: number
}

function note(places: Map<string, Place>, name: string, place: Place): void {
  if (!places.has(name)) places.set(name, place)
}
