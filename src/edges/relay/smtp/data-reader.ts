import { PieceBuffer } from '../../../kit/piece-buffer.ts'

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
  readonly #buffer = new PieceBuffer()
  /** Bytes that may start the end of the message; initially a line end, because the first line may be the dot. */
  #held: Buffer = lineEnd
  /** How many of the held bytes are not part of the message. */
  #added = lineEnd.length
  readonly #keptMax: number
  #size = 0
  #isKept = true

  /** @param keptMax How many bytes of the message are kept, from its start. */
  constructor(keptMax = Number.POSITIVE_INFINITY) {
    this.#keptMax = keptMax
  }

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

  /** Moves the bytes behind a stuffed dot to the front, in place: a message of such lines costs no more than a copy of it. */
  #read(data: Buffer, start: number): Buffer | undefined {
    const end = data.length - endOf(data)
    let read = data.indexOf(dottedLine)
    if (read === -1) return this.#hold(data, start, end)
    let written = read
    while (read < end) {
      if (!isDottedLine(data, read)) {
        data[written++] = data[read++] as number
        continue
      }
      const next = read + dottedLine.length
      // The bytes after the dot decide, and may not be received yet.
      if (next + 1 >= data.length) return this.#hold(data, start, read, written)
      data[written++] = carriageReturn
      data[written++] = lineFeed
      if (data[next] === carriageReturn && data[next + 1] === lineFeed) {
        this.#keep(data, start, written)
        return data.subarray(next + lineEnd.length)
      }
      read = next
    }
    return this.#hold(data, start, end, written)
  }

  /** Keeps the bytes from `from` to `keptTo`, and holds those from `to` on. */
  #hold(data: Buffer, from: number, to: number, keptTo = to): undefined {
    this.#keep(data, from, keptTo)
    this.#held = data.subarray(to)
    this.#added = Math.max(from - to, 0)
  }

  #keep(data: Buffer, from: number, to: number): void {
    if (to <= from) return
    const left = this.#keptMax - this.#size
    this.#size += to - from
    if (this.#isKept && left > 0) this.#buffer.append(data, from, Math.min(to, from + left))
  }
}

/** Whether a line that begins with a dot follows the line end at this position. */
function isDottedLine(data: Buffer, at: number): boolean {
  return data[at] === carriageReturn && data[at + 1] === lineFeed && data[at + 2] === dot
}

/** Counts the bytes at the end that may start a line end. */
function endOf(data: Buffer): number {
  const last = data[data.length - 1]
  if (last === carriageReturn) return 1
  return last === lineFeed && data[data.length - 2] === carriageReturn ? 2 : 0
}
