import type { RE2JS as Re2 } from 're2js'
import { TwigError } from '../errors.ts'
import { require } from '../libraries.ts'

/** A compiled pattern. `size` is its cost per character. */
export interface Pattern {
  readonly size: number
  test(text: string): boolean
}

/**
 * Compiles a PHP pattern with delimiters and modifiers (`/^a+$/i`) to an RE2 automaton, which runs
 * in linear time. Lookaround and backreferences need backtracking and are not supported.
 *
 * @throws TwigError with Twig's message for an invalid pattern.
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function compilePattern(text: string): Pattern {
  if (text.length > patternLengthMax) throw invalid(`${text.slice(0, 50)}…`, 'it is too long')
  const parts = splitPattern(text)
  if (typeof parts === 'string') throw invalid(text, parts)
  const { source, size, depth } = translate(parts)
  if (size > patternSizeMax) throw invalid(text, 'it is too large')
  if (depth > patternDepthMax) throw invalid(text, 'it is nested too deeply')
  const { RE2JS } = require('re2js') as { RE2JS: typeof Re2 }
  try {
    const compiled = RE2JS.compile(source, flagsOf(parts, RE2JS))
    return { size, test: (subject) => compiled.test(subject) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be compiled'
    throw invalid(text, reason.replace('error parsing regexp: ', ''))
  }
}

/**
 * The maximum length of a pattern, and the maximum number of instructions with repetitions
 * expanded.
 */
const patternLengthMax = 2_000
const patternSizeMax = 2_000
const patternDepthMax = 50

function flagsOf({ modifiers }: PatternParts, flags: typeof Re2): number {
  let all = 0
  if (modifiers.includes('i')) all |= flags.CASE_INSENSITIVE
  if (modifiers.includes('m')) all |= flags.MULTILINE
  if (modifiers.includes('s')) all |= flags.DOTALL
  return all
}

function invalid(text: string, reason: string): TwigError {
  return new TwigError('runtime', `Regexp "${text}" passed to "matches" is not valid: ${reason}`)
}

/** A pattern in RE2's syntax. `size` is its approximate number of instructions. */
interface Translation {
  readonly source: string
  readonly size: number
  /** How deep its groups nest. */
  readonly depth: number
}

/** Escapes of PCRE that RE2 writes differently. */
const escapes: Record<string, string> = {
  h: '[\\t ]',
  H: '[^\\t ]',
  R: '(?:\\r\\n|\\n|\\r)',
  Z: '(?:\\n?\\z)',
  e: '\\x1B',
}

/** Characters that PCRE may escape and RE2 may not. */
const literals = '/#~@%!"\'<>=:,;&` '

/**
 * Translates PCRE's syntax to RE2's: removes whitespace and comments of the `x` modifier, lets `$`
 * match before a last newline, and anchors for `A`. Estimates the size with repetitions expanded.
 */
function translate({ body, modifiers }: PatternParts): Translation {
  const reader = new Reader(body, modifiers)
  const source = reader.read()
  const { size, depth } = reader
  return { source: modifiers.includes('A') ? `\\A(?:${source})` : source, size, depth }
}

class Reader {
  private readonly body: string
  private readonly isExtended: boolean
  private readonly dollar: string
  depth = 0
  private position = 0
  /** The size of each open group and of its last atom. */
  private groups: { size: number; last: number }[] = [{ size: 0, last: 0 }]

  constructor(body: string, modifiers: string) {
    this.body = body
    this.isExtended = modifiers.includes('x')
    const isPlain = modifiers.includes('D') || modifiers.includes('m')
    this.dollar = isPlain ? '$' : '(?:\\n?\\z)'
  }

  get size(): number {
    return this.groups.reduce((sum, { size }) => sum + size, 0)
  }

  read(): string {
    let source = ''
    while (this.position < this.body.length) source += this.next()
    return source
  }

  private next(): string {
    const character = this.body.charAt(this.position++)
    if (character === '\\') return this.readEscape()
    if (character === '[') return this.readClass()
    if (character === '(') return this.openGroup()
    if (character === ')') return this.closeGroup()
    if (character === '{') return this.readRepetition()
    if (character === '$') return this.atom(this.dollar)
    if (this.isExtended && /\s/.test(character)) return ''
    if (this.isExtended && character === '#') return this.skipComment()
    return '*+?'.includes(character) ? character : this.atom(character)
  }

  private readEscape(): string {
    const character = this.body.charAt(this.position++)
    if (character === 'Q') return this.readQuoted()
    const inBraces = 'pPx'.includes(character) ? this.readBraces() : ''
    if (character !== '' && literals.includes(character)) return this.atom(character)
    return this.atom(escapes[character] ?? `\\${character}${inBraces}`)
  }

  /** Text between `\Q` and `\E` is literal. */
  private readQuoted(): string {
    const end = this.body.indexOf('\\E', this.position)
    const quoted = this.body.slice(this.position, end === -1 ? undefined : end)
    this.position += quoted.length + 2
    return [...quoted].map((character) => this.atom(`\\x{${hexadecimal(character)}}`)).join('')
  }

  /** Reads the name in `\p{Lu}` or the number in `\x{1F600}`. */
  private readBraces(): string {
    const braces = /^\{[^{}]*\}/.exec(this.body.slice(this.position, this.position + 40))?.[0] ?? ''
    this.position += braces.length
    return braces
  }

  private readClass(): string {
    const start = this.position
    if (this.body.charAt(this.position) === '^') this.position++
    // A leading `]` is one of the characters.
    if (this.body.charAt(this.position) === ']') this.position++
    let source = this.body.slice(start, this.position).replace(']', '\\]')
    for (;;) {
      const character = this.body.charAt(this.position++)
      if (character === '' || character === ']') return this.atom(`[${source}${character}`)
      if (character === '\\') source += this.readEscapeInClass()
      else if (character === '[') source += this.readClassName()
      else source += character
    }
  }

  private readEscapeInClass(): string {
    const character = this.body.charAt(this.position++)
    if (character === 'h') return '\\t '
    return /[a-zA-Z0-9]/.test(character) ? `\\${character}` : `\\x{${hexadecimal(character)}}`
  }

  /** Keeps `[:alpha:]`. Any other bracket inside a class is a character. */
  private readClassName(): string {
    const end = this.body.indexOf(':]', this.position)
    if (this.body.charAt(this.position) !== ':' || end === -1) return '\\['
    const name = this.body.slice(this.position, end + 2)
    this.position = end + 2
    return `[${name}`
  }

  private openGroup(): string {
    this.groups.push({ size: 1, last: 0 })
    this.depth = Math.max(this.depth, this.groups.length - 1)
    return '('
  }

  private closeGroup(): string {
    const group = this.groups.length > 1 ? this.groups.pop() : undefined
    this.grow(group?.size ?? 1)
    return ')'
  }

  private readRepetition(): string {
    const match = /^([0-9]*)(,?)([0-9]*)\}/.exec(this.body.slice(this.position, this.position + 16))
    if (match === null || match[1] === '') return this.atom('\\{')
    const most = Math.max(Number(match[1]), Number(match[3]))
    const group = this.groups.at(-1)
    if (group !== undefined) {
      const repeated = group.last * most
      group.size += Math.max(0, repeated - group.last)
      group.last = repeated
    }
    this.position += match[0].length
    return `{${match[0]}`
  }

  private skipComment(): string {
    const end = this.body.indexOf('\n', this.position)
    this.position = end === -1 ? this.body.length : end + 1
    return ''
  }

  private atom(source: string): string {
    this.grow(1)
    return source
  }

  private grow(size: number): void {
    const group = this.groups.at(-1)
    if (group === undefined) return
    group.size += size
    group.last = size
  }
}

function hexadecimal(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16)
}

/** A pattern without its delimiters. */
interface PatternParts {
  readonly body: string
  readonly modifiers: string
}

const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}', '<': '>' }
const knownModifiers = 'imsxuADUnSX\r\n '

/** Splits a pattern as PHP's `preg_match` does. Returns PHP's error message for an invalid one. */
function splitPattern(text: string): PatternParts | string {
  const pattern = text.trimStart()
  const delimiter = pattern.charAt(0)
  if (delimiter === '') return 'Empty regular expression'
  if (/[a-zA-Z0-9\\\0]/.test(delimiter)) {
    return 'Delimiter must not be alphanumeric, backslash, or NUL'
  }
  const end = closing[delimiter] ?? delimiter
  const position = endOfBody(pattern, delimiter, end)
  if (position === -1) {
    const which = end === delimiter ? 'ending' : 'ending matching'
    return `No ${which} delimiter "${end}" found`
  }
  const modifiers = pattern.slice(position + 1)
  const unknown = [...modifiers].find((modifier) => !knownModifiers.includes(modifier))
  if (unknown !== undefined) return `Unknown modifier '${unknown}'`
  return { body: pattern.slice(1, position), modifiers }
}

/** Finds the closing delimiter. Paired delimiters may be nested. */
function endOfBody(pattern: string, open: string, close: string): number {
  let depth = 1
  for (let i = 1; i < pattern.length; i++) {
    const character = pattern.charAt(i)
    if (character === '\\') i++
    else if (character === close && --depth === 0) return i
    else if (character === open && open !== close) depth++
  }
  return -1
}
