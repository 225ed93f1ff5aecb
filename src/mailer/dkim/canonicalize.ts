import { createHash } from 'node:crypto'

/**
 * Canonicalizes a header field, without a line end.
 * @param line The field, folded lines included. Each character is a byte.
 * @see RFC 6376, section 3.4.2 (relaxed)
 */
export function relaxHeader(line: string): string {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon).toLowerCase().trimEnd()
  return `${name}:${line
    .slice(colon + 1)
    .replace(/[\r\n]+/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '')}`
}

/** Longer bodies are hashed in pieces of this size, so that other work of the process goes on in between. */
const pieceBytes = 256 * 1024

/**
 * Hashes a body.
 * @param body Its line ends are CRLF.
 * @returns The SHA-256 in base64.
 * @see RFC 6376, section 3.4.4 (relaxed)
 */
export async function hashBody(body: Buffer): Promise<string> {
  const relaxed = new RelaxedBody()
  for (let start = 0; start < body.length; start += pieceBytes) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve))
    relaxed.update(body.subarray(start, start + pieceBytes))
  }
  return relaxed.digest()
}

const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const emptyLines = Buffer.from('\r\n'.repeat(4096))
const lineEnd = emptyLines.subarray(0, 2)

/** The hash of a body in the relaxed canonicalization. */
class RelaxedBody {
  readonly #hash = createHash('sha256')
  /** Line ends that are hashed when something follows them. */
  #lineEnds = 0
  #hasBlank = false
  #isEmpty = true

  update(piece: Buffer): void {
    this.#hashLineEnds(piece)
    // A byte of the piece becomes one byte at the most, and there may be a blank of the piece before.
    const relaxed = Buffer.allocUnsafe(piece.length + 1)
    let length = 0
    let lineEnds = this.#lineEnds
    let hasBlank = this.#hasBlank
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index] ?? 0
      if (byte === space || byte === tab) hasBlank = true
      else if (byte === lineFeed) {
        lineEnds += 1
        hasBlank = false
      } else if (byte !== carriageReturn) {
        for (; lineEnds > 0; lineEnds -= 1) {
          relaxed[length++] = carriageReturn
          relaxed[length++] = lineFeed
        }
        if (hasBlank) {
          relaxed[length++] = space
          hasBlank = false
        }
        relaxed[length++] = byte
      }
    }
    this.#lineEnds = lineEnds
    this.#hasBlank = hasBlank
    if (length > 0) this.#isEmpty = false
    this.#hash.update(relaxed.subarray(0, length))
  }

  digest(): string {
    // Empty lines at the end do not count, and a body that is not empty ends with one line end.
    if (!this.#isEmpty) this.#hash.update(lineEnd)
    return this.#hash.digest('base64')
  }

  /** Hashes the line ends of earlier pieces, if the piece has anything but white space. */
  #hashLineEnds(piece: Buffer): void {
    if (this.#lineEnds === 0 || piece.every(isWhiteSpace)) return
    while (this.#lineEnds > 0) {
      const count = Math.min(this.#lineEnds, emptyLines.length / 2)
      this.#hash.update(emptyLines.subarray(0, count * 2))
      this.#lineEnds -= count
    }
  }
}

function isWhiteSpace(byte: number): boolean {
  return byte === space || byte === tab || byte === lineFeed || byte === carriageReturn
}
