/** Writes text in paragraphs and lines, spaces and line ends as they are asked for and no more. */
export class TextWriter {
  readonly #pieces: string[] = []
  readonly #prefixes: string[] = []
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
    if (words === '') return
    if (this.#newLines > 0) {
      const prefix = this.#prefixes.join('')
      const blank = `\n${prefix.trimEnd()}`.repeat(this.#newLines - 1)
      this.#pieces.push(blank, '\n', prefix)
      this.#newLines = 0
    } else if (this.#isEmpty) this.#pieces.push(this.#prefixes.join(''))
    else if (this.#hasSpace && !this.#isLineStart) this.#pieces.push(' ')
    this.#pieces.push(words)
    this.#isEmpty = false
    this.#isLineStart = false
    this.#hasSpace = false
  }

  /** What stands before each line from the next on, such as `> `. */
  indent(prefix: string): void {
    this.#prefixes.push(prefix)
  }

  outdent(): void {
    this.#prefixes.pop()
  }

  finish(): string {
    return this.#pieces.join('')
  }
}
