const none = Buffer.alloc(0)

/** Smaller pieces are copied into blocks: a piece costs some hundred bytes more than its content. */
const smallBytes = 4_096
const blockBytesMax = 65_536

/**
 * Keeps the bytes of a message or a body and counts the memory that they keep alive. A large piece is kept in place. A piece that is
 * small, or a small part of its buffer, is copied.
 */
export class PieceBuffer {
  #chunks: Buffer[] = []
  #heldBytes = 0
  /** The buffer of the last piece that was kept in place. */
  #lastBuffer: ArrayBufferLike | undefined
  #block: Buffer = none
  /** The used part of the block that is not in the chunks yet. */
  #from = 0
  #to = 0

  /** The memory that cannot be freed while the pieces are kept, in bytes. */
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
    this.#lastBuffer = undefined
    this.#block = none
    this.#from = this.#to = 0
  }

  #isKeptInPlace({ buffer }: Buffer, size: number): boolean {
    // Most messages are a single small piece.
    const isOnly = this.#heldBytes === 0
    if (size < smallBytes && !isOnly) return false
    return buffer === this.#lastBuffer || size * 2 >= buffer.byteLength
  }

  #keep(piece: Buffer): void {
    this.#closePart()
    this.#chunks.push(piece)
    if (piece.buffer === this.#lastBuffer) return
    this.#lastBuffer = piece.buffer
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

  /** Each block is twice the size of the last: most messages have only a separate line end to copy. */
  #openBlock(): void {
    this.#closePart()
    const size = Math.min(Math.max(this.#block.length * 2, smallBytes), blockBytesMax)
    // Not from the shared pool: a part of the pool keeps all of it alive.
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
