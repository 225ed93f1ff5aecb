/** Smaller pieces are copied into blocks: each piece costs some hundred bytes besides its own. */
const smallBytes = 4_096
const blockBytesMax = 65_536
const none = Buffer.alloc(0)

/**
 * Keeps the bytes of a message and knows how much memory they hold. A large piece stays where it is. A piece that
 * is small, or a small part of the memory that it would hold, is copied.
 */
export class MessageBuffer {
  #chunks: Buffer[] = []
  #heldBytes = 0
  /** The memory of the last piece that was not copied. */
  #kept: ArrayBufferLike | undefined
  #block: Buffer = none
  /** The part of the block that is in use and not among the chunks yet. */
  #from = 0
  #to = 0

  /** The size of all memory that cannot be freed while the message is kept, in bytes. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  get chunks(): readonly Buffer[] {
    this.#closePart()
    return this.#chunks
  }

  /** Adds the bytes of `data` from `from` to `to`. */
  append(data: Buffer, from: number, to: number): void {
    if (this.#isKeptInPlace(data, to - from)) this.#keep(data.subarray(from, to))
    else this.#copy(data, from, to)
  }

  clear(): void {
    this.#chunks = []
    this.#heldBytes = 0
    this.#kept = undefined
    this.#block = none
    this.#from = this.#to = 0
  }

  #isKeptInPlace({ buffer }: Buffer, size: number): boolean {
    // Most messages are one small piece.
    const isOnly = this.#heldBytes === 0
    if (size < smallBytes && !isOnly) return false
    return buffer === this.#kept || size * 2 >= buffer.byteLength
  }

  #keep(piece: Buffer): void {
    this.#closePart()
    this.#chunks.push(piece)
    if (piece.buffer === this.#kept) return
    this.#kept = piece.buffer
    this.#heldBytes += piece.buffer.byteLength
  }

  #copy(data: Buffer, start: number, end: number): void {
    for (let at = start; at < end; ) {
      if (this.#to === this.#block.length) this.#openBlock()
      const copied = data.copy(this.#block, this.#to, at, end)
      this.#to += copied
      at += copied
    }
  }

  /** Each is twice the one before: most messages end with a line end that came apart, and nothing else to copy. */
  #openBlock(): void {
    this.#closePart()
    const size = Math.min(Math.max(this.#block.length * 2, smallBytes), blockBytesMax)
    // Not of the shared pool: a part of that would hold all of it.
    this.#block = Buffer.allocUnsafeSlow(size)
    this.#from = this.#to = 0
    this.#heldBytes += size
  }

  #closePart(): void {
    if (this.#to === this.#from) return
    this.#chunks.push(this.#block.subarray(this.#from, this.#to))
    this.#from = this.#to
  }
}
