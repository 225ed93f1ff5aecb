import { MessageBuffer } from './message-buffer.ts'

const carriageReturn = 0x0d
const lineFeed = 0x0a
const dot = 0x2e
const lineEnd = Buffer.from('\r\n')
const dottedLine = Buffer.from('\r\n.')
const none = Buffer.alloc(0)

/**
 * Reads the bytes after DATA up to the line with a single dot, and takes away the dots that were put
 * before others (RFC 5321, section 4.5.2). Only CRLF ends a line: a message with a lone CR or LF before
 * a dot goes on, so that nobody smuggles a second message in the first.
 */
export class DataReader {
  readonly #buffer = new MessageBuffer()
  /** Bytes that may be the beginning of the end; at first a line end, as before any line. */
  #held: Buffer = lineEnd
  /** How many of them are not the message's own. */
  #added = lineEnd.length
  #size = 0
  #isKept = true

  /** How many bytes of the message there were so far, kept or not. */
  get size(): number {
    return this.#size
  }

  /** Keeps none of it, now or later. */
  drop(): void {
    this.#isKept = false
    this.#buffer.clear()
  }

  /** The message, in pieces. */
  get chunks(): readonly Buffer[] {
    return this.#buffer.chunks
  }

  /** How much memory the message holds, in bytes: more than its size where its pieces are parts of larger ones. */
  get heldBytes(): number {
    return this.#buffer.heldBytes
  }

  /** Takes bytes; returns those after the end, or undefined while the end has not come. */
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
      // What follows the dot decides, and it may not be there yet.
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

/** How many bytes at the end may be the beginning of a line end. */
function endOf(data: Buffer): number {
  const last = data[data.length - 1]
  if (last === carriageReturn) return 1
  return last === lineFeed && data[data.length - 2] === carriageReturn ? 2 : 0
}
