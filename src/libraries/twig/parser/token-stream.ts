import { type Place, syntaxFault } from '../errors.ts'
import { type Token, type TokenType, tokenTypeName } from '../lexer/token.ts'

/** The brackets of a list, and Twig's messages for what is missing. */
export interface ListSyntax {
  readonly brackets: readonly [open: string, close: string]
  readonly begin: string
  readonly comma: string
  readonly end: string
}

/** Reads the tokens of a template one by one. */
export class TokenStream {
  /** The index of the current token. */
  position = 0
  private readonly tokens: readonly Token[]

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  get current(): Token {
    return this.at(this.position)
  }

  /** The position of the current token. */
  get place(): Place {
    return this.current.place
  }

  isAtEnd(): boolean {
    return this.current.type === 'end'
  }

  /** Returns the current token and advances. */
  next(): Token {
    const token = this.current
    if (token.type === 'end') throw syntaxFault('Unexpected end of template.', token.place)
    this.position++
    return token
  }

  /** Returns the next token. */
  peek(): Token {
    return this.at(this.position + 1)
  }

  /** Returns true when the bracket here contains only names and an arrow follows. */
  isArrowAhead(): boolean {
    let ahead = 1
    while (this.test('name', undefined, ahead) && this.test('punctuation', ',', ahead + 1))
      ahead += 2
    if (!this.test('name', undefined, ahead)) return false
    return this.test('punctuation', ')', ahead + 1) && this.test('operator', '=>', ahead + 2)
  }

  /** Returns true when the current token, or one that is `ahead` of it, has a type and value. */
  test(type: TokenType, value?: string, ahead = 0): boolean {
    const token = this.at(this.position + ahead)
    return token.type === type && (value === undefined || token.value === value)
  }

  nextIf(type: TokenType, value?: string): Token | undefined {
    return this.test(type, value) ? this.next() : undefined
  }

  /**
   * Returns the current token and advances.
   *
   * @throws TwigError with Twig's message when the token is not the expected one.
   */
  expect(type: TokenType, value?: string, message?: string): Token {
    if (this.test(type, value)) return this.next()
    throw this.unexpected(type, value, message)
  }

  /** Reads one or more items with commas between them. */
  separated<T>(parseItem: () => T): T[] {
    const items = [parseItem()]
    while (this.nextIf('punctuation', ',') !== undefined) items.push(parseItem())
    return items
  }

  /** Reads the items of a list in brackets. A trailing comma is allowed. */
  list<T>(syntax: ListSyntax, parseItem: (before: T | undefined) => T): T[] {
    const [open, close] = syntax.brackets
    this.expect('punctuation', open, syntax.begin)
    const items: T[] = []
    while (!this.test('punctuation', close)) {
      if (items.length > 0) {
        this.expect('punctuation', ',', syntax.comma)
        if (this.test('punctuation', close)) break
      }
      items.push(parseItem(items.at(-1)))
    }
    this.expect('punctuation', close, syntax.end)
    return items
  }

  /**
   * Advances behind the open tag or print, if there is one. Stops before the end of the template.
   */
  leaveTag(): void {
    const last = this.tokens[this.position - 1]?.type
    if (last === 'block end' || last === 'print end' || last === 'text') return
    while (!this.isAtEnd()) {
      const { type } = this.current
      this.position++
      if (type === 'block end' || type === 'print end') return
    }
  }

  /** Returns the tokens from a position to the end of their tag. */
  headerFrom(start: number): readonly Token[] {
    const end = this.tokens.findIndex(({ type }, index) => index >= start && type === 'block end')
    return this.tokens.slice(start, end === -1 ? undefined : end)
  }

  private unexpected(
    type: TokenType,
    value: string | undefined,
    message: string | undefined,
  ): Error {
    const token = this.current
    // '0' is false in PHP, so Twig leaves it out.
    const found = token.value === '' || token.value === '0' ? '' : ` of value "${token.value}"`
    const wanted = value === undefined ? '' : ` with value "${value}"`
    const lead = message === undefined ? '' : `${message}. `
    return syntaxFault(
      `${lead}Unexpected token "${tokenTypeName(token.type)}"${found} ("${tokenTypeName(type)}" expected${wanted}).`,
      token.place,
    )
  }

  private at(position: number): Token {
    const token = this.tokens[position] ?? this.tokens.at(-1)
    if (token === undefined) throw new RangeError('A token stream ends with a token of type "end".')
    return token
  }
}
