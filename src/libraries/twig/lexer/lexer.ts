import { type Place, syntaxFault, TwigError } from '../errors.ts'
import * as delimiters from './patterns.ts'
import { isAfterAccess, operatorPattern, unescapeString } from './patterns.ts'
import type { Token, TokenType } from './token.ts'

export interface LexerOptions {
  readonly name: string | undefined
  /** The maximum number of tokens. */
  readonly tokensMax: number
  /**
   * Receives each error. When it is set, the lexer adds a `fault` token and continues after the
   * error.
   */
  readonly onFault?: ((fault: TwigError) => void) | undefined
}

/**
 * Splits a template into tokens. The last one has the type `end`.
 *
 * @throws TwigError of kind `syntax`, unless `onFault` is set.
 */
export function tokenize(source: string, options: LexerOptions): Token[] {
  return new Lexer(source.replace(/\r\n?/g, '\n'), options).run()
}

type State = 'data' | 'block' | 'print' | 'string' | 'interpolation'

interface Bracket {
  readonly sign: string
  readonly place: Place
}

const name = /[a-zA-Z_\x7f-\uffff][a-zA-Z0-9_\x7f-\uffff]*/y
const number = /[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?/y
const plainString = /"([^#"\\]*(?:\\[\s\S][^#"\\]*)*)"|'([^'\\]*(?:\\[\s\S][^'\\]*)*)'/y
const stringPart = /[^#"\\]*(?:(?:\\[\s\S]|#(?!\{))[^#"\\]*)*/y
const inlineComment = /#[^\n]*/y
const blank = /\s+/y
const closingOf: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

class Lexer {
  private readonly code: string
  private readonly options: LexerOptions
  private readonly tokens: Token[] = []
  private readonly states: State[] = []
  private state: State = 'data'
  private brackets: Bracket[] = []
  private cursor = 0
  private line = 1
  private lineStart = 0
  private nextNewline: number
  /** The position of the open `{{` or `{%`. */
  private openedAt: Place

  constructor(code: string, options: LexerOptions) {
    this.code = code
    this.options = options
    this.nextNewline = newlineAfter(code, 0)
    this.openedAt = this.place()
  }

  run(): Token[] {
    while (this.cursor < this.code.length) {
      this.step()
      if (this.tokens.length > this.options.tokensMax) throw this.tooMany()
    }
    this.state = 'data'
    const bracket = this.brackets.pop()
    if (bracket !== undefined) {
      this.fault(`Unclosed "${bracket.sign}".`, bracket.place)
      this.push('fault', '')
    }
    this.push('end', '')
    return this.tokens
  }

  private tooMany(): TwigError {
    const most = this.options.tokensMax
    return new TwigError('limit', `The template has more than ${most} tokens.`, this.place())
  }

  private step(): void {
    try {
      if (this.state === 'data') this.lexData()
      else if (this.state === 'string') this.lexString()
      else if (this.state === 'interpolation') this.lexInterpolation()
      else this.lexTag(this.state)
    } catch (error) {
      if (!(error instanceof RecoveredFault)) throw error
      this.skipTag()
    }
  }

  private lexData(): void {
    delimiters.opening.lastIndex = this.cursor
    const match = delimiters.opening.exec(this.code)
    if (match === null) {
      this.pushText(this.code.slice(this.cursor))
      this.moveTo(this.code.length)
      return
    }
    this.pushText(delimiters.trimBefore(this.code.slice(this.cursor, match.index), match[2]))
    this.moveTo(match.index)
    this.openedAt = this.place()
    this.moveTo(match.index + match[0].length)
    if (match[1] === '{#') this.skipTo(delimiters.commentEnd, 'Unclosed comment.')
    else if (match[1] === '{{') this.enter('print', 'print start', this.openedAt)
    else if (this.take(delimiters.verbatimStart) !== undefined) this.lexVerbatim()
    else {
      const line = this.take(delimiters.lineTag)
      if (line === undefined) this.enter('block', 'block start', this.openedAt)
      else this.line = Number(line[1])
    }
  }

  private enter(state: State, type: TokenType, place: Place): void {
    this.push(type, '', place)
    this.states.push(this.state)
    this.state = state
  }

  private lexVerbatim(): void {
    const start = this.cursor
    const place = this.place()
    const match = this.skipTo(
      delimiters.verbatimEnd,
      'Unexpected end of file: Unclosed "verbatim" block.',
    )
    if (match === null) return
    this.pushText(delimiters.trimBefore(this.code.slice(start, match.index), match[1]), place)
  }

  /** Moves the cursor behind the next match of a pattern. Without one, skips the rest and reports it as unclosed. */
  private skipTo(pattern: RegExp, unclosed: string): RegExpExecArray | null {
    const place = this.place()
    pattern.lastIndex = this.cursor
    const match = pattern.exec(this.code)
    this.moveTo(match === null ? this.code.length : match.index + match[0].length)
    if (match === null) this.fault(unclosed, place)
    return match
  }

  private lexTag(state: 'block' | 'print'): void {
    if (this.brackets.length > 0) {
      this.lexExpression()
      return
    }
    const end = state === 'block' ? delimiters.blockEnd : delimiters.printEnd
    const position = this.cursor
    end.lastIndex = position
    const match = end.exec(this.code)
    if (match === null) {
      this.lexExpression()
      return
    }
    this.push(state === 'block' ? 'block end' : 'print end', '')
    this.moveTo(position + match[0].length)
    this.state = this.states.pop() ?? 'data'
  }

  private lexExpression(): void {
    if (this.take(blank) !== undefined && this.cursor >= this.code.length) {
      this.unclosedTag()
      return
    }
    if (this.lexOperator() || this.takeAs('name', name) || this.takeAs('number', number)) return
    if (this.lexPunctuation() || this.lexQuoted() || this.take(inlineComment) !== undefined) return
    this.fault(`Unexpected character "${this.character()}".`)
  }

  private unclosedTag(): void {
    const what = this.state === 'block' ? 'block' : 'variable'
    this.fault(`Unclosed "${what}".`, this.openedAt)
  }

  private lexOperator(): boolean {
    operatorPattern.lastIndex = this.cursor
    const match = operatorPattern.exec(this.code)
    if (match === null) return false
    if (/^[a-z]/.test(match[0]) && isAfterAccess(this.code, this.cursor)) return false
    this.push('operator', match[0].replace(/\s+/g, ' '))
    this.moveTo(this.cursor + match[0].length)
    return true
  }

  private lexPunctuation(): boolean {
    const sign = this.code.charAt(this.cursor)
    if (!'()[]{}?:.,|'.includes(sign)) return false
    this.checkBracket(sign)
    this.push('punctuation', sign)
    this.moveTo(this.cursor + 1)
    return true
  }

  private lexQuoted(): boolean {
    const place = this.place()
    const match = this.take(plainString)
    if (match !== undefined) {
      this.push('string', unescapeString(match[1] ?? match[2] ?? ''), place)
      return true
    }
    if (this.code.charAt(this.cursor) !== '"') return false
    this.brackets.push({ sign: '"', place })
    this.states.push(this.state)
    this.state = 'string'
    this.moveTo(this.cursor + 1)
    return true
  }

  private lexString(): void {
    const place = this.place()
    if (this.take(delimiters.interpolationStart) !== undefined) {
      this.brackets.push({ sign: '#{', place })
      this.enter('interpolation', 'interpolation start', place)
      return
    }
    const part = this.take(stringPart)
    if (part !== undefined) {
      this.push('string', unescapeString(part[0]), place)
      return
    }
    if (this.code.charAt(this.cursor) !== '"') {
      this.fault(`Unexpected character "${this.character()}".`)
      return
    }
    this.brackets.pop()
    this.state = this.states.pop() ?? 'data'
    this.moveTo(this.cursor + 1)
  }

  private lexInterpolation(): void {
    const place = this.place()
    const isOpen = this.brackets.at(-1)?.sign === '#{'
    if (isOpen && this.take(delimiters.interpolationEnd) !== undefined) {
      this.brackets.pop()
      this.push('interpolation end', '', place)
      this.state = this.states.pop() ?? 'data'
      return
    }
    this.lexExpression()
  }

  private checkBracket(sign: string): void {
    if (closingOf[sign] !== undefined) {
      this.brackets.push({ sign, place: this.place() })
      return
    }
    if (!')]}'.includes(sign)) return
    const opened = this.brackets.pop()
    if (opened === undefined) this.fault(`Unexpected "${sign}".`)
    else if (closingOf[opened.sign] !== sign) this.fault(`Unclosed "${opened.sign}".`, opened.place)
  }

  /** Adds a `fault` token and continues after the tag that contains the error. */
  private skipTag(): void {
    this.brackets = []
    const tag = [...this.states, this.state].find((state) => state === 'block' || state === 'print')
    this.states.length = 0
    this.state = 'data'
    this.push('fault', '')
    if (tag === undefined) return
    const end = this.code.indexOf(tag === 'block' ? '%}' : '}}', this.cursor)
    this.moveTo(end === -1 ? this.code.length : end + 2)
    this.push(tag === 'block' ? 'block end' : 'print end', '')
  }

  private fault(message: string, place = this.place()): void {
    const fault = syntaxFault(message, place)
    if (this.options.onFault === undefined) throw fault
    this.options.onFault(fault)
    if (this.state !== 'data') throw new RecoveredFault()
  }

  private takeAs(type: TokenType, pattern: RegExp): boolean {
    const place = this.place()
    const match = this.take(pattern)
    if (match !== undefined) this.push(type, match[0], place)
    return match !== undefined
  }

  /** Matches a sticky pattern at the cursor and moves the cursor behind a non-empty match. */
  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.cursor
    const match = pattern.exec(this.code)
    if (match === null || match[0] === '') return undefined
    this.moveTo(this.cursor + match[0].length)
    return match
  }

  private moveTo(position: number): void {
    while (this.nextNewline < position) {
      this.line++
      this.lineStart = this.nextNewline + 1
      this.nextNewline = newlineAfter(this.code, this.lineStart)
    }
    this.cursor = position
  }

  private character(): string {
    return String.fromCodePoint(this.code.codePointAt(this.cursor) ?? 0)
  }

  private place(): Place {
    const column = this.cursor - this.lineStart + 1
    return { templateName: this.options.name, line: this.line, column }
  }

  private push(type: TokenType, value: string, place = this.place()): void {
    this.tokens.push({ type, value, place })
  }

  private pushText(text: string, place = this.place()): void {
    if (text !== '') this.push('text', text, place)
  }
}

function newlineAfter(code: string, position: number): number {
  const newline = code.indexOf('\n', position)
  return newline === -1 ? Number.POSITIVE_INFINITY : newline
}

/** Returns to the main loop after a reported error. */
class RecoveredFault extends Error {}
