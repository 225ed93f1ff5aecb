const quoteMark = '> '
/** Deeper quotes have as many marks, so that nesting does not lengthen every line. */
const depthMax = 5
/** The longest text of an email; the rest is left out. */
const lengthMax = 1_000_000

/** Writes text in paragraphs and lines, without superfluous spaces and line ends. */
export class TextWriter {
  readonly #pieces: string[] = []
  #depth = 0
  #length = 0
  #isEmpty = true
  #isLineStart = true
  #newLines = 0
  #hasSpace = false

  /** Begins a new line (1) or paragraph (2), unless one has begun. */
  breakLines(count: 1 | 2): void {
    this.#hasSpace = false
    if (!this.#isEmpty) this.#newLines = Math.max(this.#newLines, count)
  }

  /** Adds a line end; three in a row at most. */
  addLineBreak(): void {
    this.#hasSpace = false
    if (!this.#isEmpty) this.#newLines = Math.min(this.#newLines + 1, 3)
  }

  /** Separates the next words from the last, unless a line begins. */
  addSpace(): void {
    this.#hasSpace = true
  }

  /** Writes words, without white space around them. */
  write(words: string): void {
    if (words === '' || this.#length >= lengthMax) return
    const prefix = quoteMark.repeat(Math.min(this.#depth, depthMax))
    if (this.#newLines > 0) {
      const blank = `\n${prefix.trimEnd()}`.repeat(this.#newLines - 1)
      this.#push(`${blank}\n${prefix}`)
      this.#newLines = 0
    } else if (this.#isEmpty) this.#push(prefix)
    else if (this.#hasSpace && !this.#isLineStart) this.#push(' ')
    this.#push(words)
    this.#isEmpty = false
    this.#isLineStart = false
    this.#hasSpace = false
  }

  /** Quotes the following lines, each level with `> `. */
  quote(): void {
    this.#depth += 1
  }

  unquote(): void {
    this.#depth = Math.max(0, this.#depth - 1)
  }

  finish(): string {
    return this.#pieces.join('')
  }

  #push(text: string): void {
    this.#pieces.push(text)
    this.#length += text.length
  }
}
