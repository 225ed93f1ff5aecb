const carriageReturn = 0x0d
const lineFeed = 0x0a
const dot = 0x2e
const lineEnd = Buffer.from('\r\n')
const dottedLine = Buffer.from('\r\n.')
const none = Buffer.alloc(0)

/**
 * Reads the bytes after DATA up to the line with a single dot, and removes dot-stuffing (RFC 5321, section 4.5.2). Only
 * CRLF ends a line: a lone CR or LF before a dot does not end the message, which prevents SMTP smuggling.
 */
export class DataReader {
  readonly #buffer = new MessageBuffer()
  /** Bytes that may start the end of the message; initially a line end, because the first line may be the dot. */
  #held: Buffer = lineEnd
  /** How many of the held bytes are not part of the message. */
  #added = lineEnd.length
  #size = 0
  #isKept = true

  /** The bytes of the message so far, kept or not. */
  get size(): number {
    return this.#size
  }

  /** Discards the message, now and later. */
  drop(): void {
    this.#isKept = false
    this.#buffer.clear()
  }

  /** The message, in pieces. */
  get chunks(): readonly Buffer[] {
    return this.#buffer.chunks
  }

  /** The memory that the message keeps alive, in bytes: more than its size if its pieces are parts of larger buffers. */
  get heldBytes(): number {
    return this.#buffer.heldBytes
  }

  /** Adds bytes. Returns the bytes after the end, or undefined if the end was not received yet. */
  push(bytes: Buffer): Buffer | undefined {
    const isPlainStart = this.#held === lineEnd && bytes[0] !== dot
    const held = isPlainStart ? none : this.#held
    const from = isPlainStart ? 0 : this.#added
    return this.#read(held.length === 0 ? bytes : Buffer.concat([held, bytes]), from)
  }

  #read(data: Buffer, start: number): Buffer | undefined {
    let from = start
    for (let at = data.indexOf(dottedLine); at !== -1; at = data.indexOf(dottedLine, from)) {
      const next = at + dottedLine.length
      // The bytes after the dot decide, and may not be received yet.
      if (next + 1 >= data.length) return this.#hold(data, from, at)
      this.#keep(data, from, next - 1)
      if (data[next] === carriageReturn && data[next + 1] === lineFeed) {
        return data.subarray(next + lineEnd.length)
      }
      from = next
    }
    return this.#hold(data, from, data.length - endOf(data))
  }

  #hold(data: Buffer, from: number, to: number): undefined {
    this.#keep(data, from, to)
    this.#held = data.subarray(to)
    this.#added = Math.max(from - to, 0)
  }

  #keep(data: Buffer, from: number, to: number): void {
    if (to <= from) return
    this.#size += to - from
    if (this.#isKept) this.#buffer.append(data, from, to)
  }
}

/** Counts the bytes at the end that may start a line end. */
function endOf(data: Buffer): number {
  const last = data[data.length - 1]
  if (last === carriageReturn) return 1
  return last === lineFeed && data[data.length - 2] === carriageReturn ? 2 : 0
}

/** Smaller pieces are copied into blocks: a piece costs some hundred bytes more than its content. */
const smallBytes = 4_096
const blockBytesMax = 65_536

/**
 * Keeps the bytes of a message and counts the memory that they keep alive. A large piece is kept in place. A piece that is
 * small, or a small part of its buffer, is copied.
 */
export class MessageBuffer {
  #chunks: Buffer[] = []
  #heldBytes = 0
  /** The buffer of the last piece that was kept in place. */
  #kept: ArrayBufferLike | undefined
  #block: Buffer = none
  /** The used part of the block that is not in the chunks yet. */
  #from = 0
  #to = 0

  /** The memory that cannot be freed while the message is kept, in bytes. */
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
    // Most messages are a single small piece.
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
