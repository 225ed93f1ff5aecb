import type { PatternParts } from './delimited-pattern.ts'

/** A pattern in RE2's syntax, and about how many instructions it becomes. */
export interface Translation {
  readonly source: string
  readonly size: number
  /** How deep its groups nest. */
  readonly depth: number
}

/** What PCRE has and RE2 writes otherwise. */
const escapes: Record<string, string> = {
  h: '[\\t ]',
  H: '[^\\t ]',
  R: '(?:\\r\\n|\\n|\\r)',
  Z: '(?:\\n?\\z)',
  e: '\\x1B',
  '/': '/',
  '#': '#',
  '~': '~',
  '@': '@',
  '%': '%',
  '!': '!',
  '"': '"',
  "'": "'",
  '<': '<',
  '>': '>',
  '=': '=',
  ':': ':',
  ',': ',',
  ';': ';',
  '&': '&',
  '`': '`',
  ' ': ' ',
}

/**
 * Rewrites PCRE's syntax as RE2's: blanks and comments of the `x` modifier go, `$` may stand before a
 * last newline, `A` anchors. Counts on the way what the pattern becomes with its repetitions written out.
 */
export function translate({ body, modifiers }: PatternParts): Translation {
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
  /** Sizes of the groups that are open, and of the last atom of each. */
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
    return this.atom(escapes[character] ?? `\\${character}${inBraces}`)
  }

  /** What stands between `\Q` and `\E` means itself. */
  private readQuoted(): string {
    const end = this.body.indexOf('\\E', this.position)
    const quoted = this.body.slice(this.position, end === -1 ? undefined : end)
    this.position += quoted.length + 2
    return [...quoted].map((character) => this.atom(`\\x{${hexadecimal(character)}}`)).join('')
  }

  /** The name in `\p{Lu}` or the number in `\x{1F600}`. */
  private readBraces(): string {
    const braces = /^\{[^{}]*\}/.exec(this.body.slice(this.position, this.position + 40))?.[0] ?? ''
    this.position += braces.length
    return braces
  }

  private readClass(): string {
    const start = this.position
    if (this.body.charAt(this.position) === '^') this.position++
    // A bracket that comes first is one of the characters.
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

  /** `[:alpha:]` stays; any other bracket inside of a class is a character. */
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
