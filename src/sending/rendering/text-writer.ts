const quoteMark = '> '
/** Deeper quotes look like these: what stands before a line must not grow with the nesting. */
const depthMax = 5
/** As long as the text of an email may be; what comes after is left out. */
const lengthMax = 1_000_000

/** Writes text in paragraphs and lines, spaces and line ends as they are asked for and no more. */
export class TextWriter {
  readonly #pieces: string[] = []
  #depth = 0
  #length = 0
  #isEmpty = true
  #isLineStart = true
  #newLines = 0
  #hasSpace = false

  /** Begins a new line, or after two a new paragraph, unless it has begun. */
  breakLines(count: 1 | 2): void {
    this.#hasSpace = false
    if (!this.#isEmpty) this.#newLines = Math.max(this.#newLines, count)
  }

  /** One line end more, as often as it is asked for; three at most. */
  addLineBreak(): void {
    this.#hasSpace = false
    if (!this.#isEmpty) this.#newLines = Math.min(this.#newLines + 1, 3)
  }

  /** Separates words, unless a line begins. */
  addSpace(): void {
    this.#hasSpace = true
  }

  /** Writes words; white space has been told by `addSpace`. */
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

  /** Quotes the lines from the next on, each level with `> `. */
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
