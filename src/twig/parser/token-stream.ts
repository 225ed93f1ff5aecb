import { syntaxFault } from '../errors/faults.ts'
import { inEnglish, type Token, type TokenType } from '../lexer/token.ts'
import type { Place } from '../syntax/place.ts'

/** What `expect` and `test` look for. */
export type Wanted = TokenType

/** The tokens of a template, read one after the other. */
export class TokenStream {
  readonly templateName: string | undefined
  /** Which token is the current one. */
  position = 0
  private readonly tokens: readonly Token[]

  constructor(tokens: readonly Token[], templateName: string | undefined) {
    this.tokens = tokens
    this.templateName = templateName
  }

  get current(): Token {
    return this.at(this.position)
  }

  /** Where the current token stands. */
  get place(): Place {
    return this.placeOf(this.current)
  }

  placeOf(token: Token): Place {
    return { templateName: this.templateName, line: token.line, column: token.column }
  }

  isAtEnd(): boolean {
    return this.current.type === 'end'
  }

  /** The current token; the stream goes on behind it. */
  next(): Token {
    const token = this.current
    if (token.type === 'end') {
      throw syntaxFault('Unexpected end of template.', this.placeOf(token))
    }
    this.position++
    return token
  }

  /** The token behind the current one. */
  peek(): Token {
    return this.at(this.position + 1)
  }

  /** Whether the bracket here holds names alone and an arrow follows it. */
  isArrowAhead(): boolean {
    let position = this.position + 1
    while (this.at(position).type === 'name') {
      const separator = this.at(position + 1)
      if (separator.type !== 'punctuation') return false
      if (separator.value === ')') {
        const behind = this.at(position + 2)
        return behind.type === 'operator' && behind.value === '=>'
      }
      if (separator.value !== ',') return false
      position += 2
    }
    return false
  }

  test(type: Wanted, value?: string): boolean {
    const token = this.current
    return token.type === type && (value === undefined || token.value === value)
  }

  nextIf(type: Wanted, value?: string): Token | undefined {
    return this.test(type, value) ? this.next() : undefined
  }

  /** The current token if it is what is wanted, else a syntax error in Twig's words. */
  expect(type: Wanted, value?: string, message?: string): Token {
    if (this.test(type, value)) return this.next()
    throw this.unexpected(type, value, message)
  }

  /** Goes on behind the tag or print that is open here, if one is. Stays before the end. */
  leaveTag(): void {
    const last = this.tokens[this.position - 1]?.type
    if (last === 'block end' || last === 'print end' || last === 'text') return
    while (!this.isAtEnd()) {
      const { type } = this.current
      this.position++
      if (type === 'block end' || type === 'print end') return
    }
  }

  /** The tokens from a position to the end of the tag that it is in. */
  headerFrom(start: number): readonly Token[] {
    const end = this.tokens.findIndex(({ type }, index) => index >= start && type === 'block end')
    return this.tokens.slice(start, end === -1 ? undefined : end)
  }

  private unexpected(type: Wanted, value: string | undefined, message: string | undefined): Error {
    const token = this.current
    // PHP holds '0' for false, so Twig does not tell it.
    const found = token.value === '' || token.value === '0' ? '' : ` of value "${token.value}"`
    const wanted = value === undefined ? '' : ` with value "${value}"`
    const lead = message === undefined ? '' : `${message}. `
    return syntaxFault(
      `${lead}Unexpected token "${inEnglish(token.type)}"${found} ("${inEnglish(type)}" expected${wanted}).`,
      this.placeOf(token),
    )
  }

  private at(position: number): Token {
    const token = this.tokens[position] ?? this.tokens.at(-1)
    if (token === undefined) throw new RangeError('A token stream ends with a token of type "end".')
    return token
  }
}
