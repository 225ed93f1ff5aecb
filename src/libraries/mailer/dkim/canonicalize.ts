import { createHash, hash } from 'node:crypto'
import { pause } from '../../../kit/pause.ts'

/**
 * Canonicalizes a header field, without a line end.
 * @param line The field, folded lines included. Each character is a byte.
 * @see RFC 6376, section 3.4.2 (relaxed)
 */
export function relaxHeader(line: string): string {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon).toLowerCase().trimEnd()
  // A line end inside a field comes before a blank.
  const value = line.slice(colon + 1).replace(/[ \t\r\n]+/g, ' ')
  const start = value.startsWith(' ') ? 1 : 0
  return `${name}:${value.slice(start, value.endsWith(' ') ? -1 : undefined)}`
}

/** More is read in pieces of about this size, so that other work of the process goes on in between. */
export const pieceBytes = 256 * 1024
const lineEnd = Buffer.from('\r\n')
const blank = Buffer.from(' ')
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Cuts bytes into pieces, but never between CR and LF. Others have their turn after each. */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    if (start > 0) await pause()
    end = start + pieceBytes
    if (bytes[end] === lineFeed) end += 1
    yield bytes.subarray(start, end)
  }
}

/**
 * Hashes a body.
 * @param body Its line ends are CRLF.
 * @returns The SHA-256 in base64.
 * @see RFC 6376, section 3.4.4 (relaxed)
 */
export async function hashBody(body: Buffer): Promise<string> {
  const content = withoutBlankEnd(body)
  if (content.length <= pieceBytes) return hash('sha256', relaxLines(content), 'base64')
  const sum = createHash('sha256')
  // The blanks at the end of a piece are one, or none at the end of a line: the next piece begins with them.
  let isBlank = false
  for await (const piece of piecesOf(content)) {
    const relaxed = relaxLines(isBlank ? Buffer.concat([blank, piece]) : piece)
    isBlank = relaxed.at(-1) === blank[0]
    sum.update(isBlank ? relaxed.subarray(0, -1) : relaxed)
  }
  return sum.digest('base64')
}

/** Removes empty lines from the end, and blanks of the last line. What is left ends with a line end. */
function withoutBlankEnd(body: Buffer): Buffer {
  let end = body.length
  while (end > 0 && isWhiteSpace(body[end - 1])) end -= 1
  if (end === 0) return body.subarray(0, 0)
  const isLineEnd = body[end] === carriageReturn && body[end + 1] === lineFeed
  return isLineEnd
    ? body.subarray(0, end + lineEnd.length)
    : Buffer.concat([body.subarray(0, end), lineEnd])
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === carriageReturn || byte === lineFeed
}

/** A blank that is not one space between two words. Most text has none, and is not copied. */
const oddBlank = /\t| {2}| \r/

function relaxLines(lines: Buffer): Buffer {
  const text = lines.toString('latin1')
  if (!oddBlank.test(text)) return lines
  return Buffer.from(
    // A run is reduced first: searching it for the end of its line again and again would be quadratic.
    text.replace(/\t[\t ]*| [\t ]+/g, ' ').replaceAll(' \r\n', '\r\n'),
    'latin1',
  )
}
