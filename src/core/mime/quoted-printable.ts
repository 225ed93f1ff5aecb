import { type Steps, stepBytes } from './steps.ts'

const lineLengthMax = 76
const hex = Buffer.from('0123456789ABCDEF')
const cr = 0x0d
const lf = 0x0a
const equals = 0x3d
const space = 0x20
const tab = 0x09

/** How a byte is encoded: literally, literally except at the end of a line, as a line end, or in hex. */
const literal = 0
const blank = 1
const lineEnd = 2
const escaped = 3
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === space || byte === tab) return blank
  if (byte === cr || byte === lf) return lineEnd
  return byte > space && byte < 0x7f && byte !== equals ? literal : escaped
})
/** Before this column a literal byte fits, whatever follows it. */
const roomyColumn = lineLengthMax - 4

/**
 * Encodes text as quoted-printable (RFC 2045, section 6.7), with CRLF as line end. In bytes only CRLF is a
 * line end, so that decoding gives the same bytes; libqp and nodemailer change a lone CR or LF.
 */
export function encodeQuotedPrintable(content: string | Uint8Array): Buffer {
  const isText = typeof content === 'string'
  const input = isText ? Buffer.from(content.replaceAll(/\r?\n/g, '\r\n')) : content
  return encodeRun(input, { read: 0, column: 0 }, input.length)
}

/** Encodes bytes like `encodeQuotedPrintable`, in steps. */
export function* encodeQuotedPrintableInSteps(input: Uint8Array): Steps<Buffer> {
  const position = { read: 0, column: 0 }
  const pieces: Buffer[] = []
  while (position.read < input.length) {
    const { read } = position
    const until = Math.min(input.length, read + stepBytes)
    // Copied, because the buffer is up to three times as long as what it holds.
    pieces.push(Buffer.from(encodeRun(input, position, until)))
    yield position.read - read
  }
  return Buffer.concat(pieces)
}

/** How far the input is encoded, and the column of the output. */
interface EncodingPosition {
  read: number
  column: number
}

/** Encodes the bytes from `position` to `until`, or one more where a line end is there, and moves the position. */
function encodeRun(input: Uint8Array, position: EncodingPosition, until: number): Buffer {
  // Each byte takes three at the most, and a soft line break comes after 73 at the earliest.
  const output = Buffer.allocUnsafe(Math.ceil((until - position.read) * 3 * 1.05) + 8)
  let at = 0
  let { read: index, column } = position
  for (; index < until; index++) {
    const byte = input[index] ?? 0
    const kind = kinds[byte] ?? escaped
    if (kind === literal && column < roomyColumn) {
      output[at++] = byte
      column += 1
      continue
    }
    const next = input[index + 1]
    if (byte === cr && next === lf) {
      index += 1
      output[at++] = cr
      output[at++] = lf
      column = 0
      continue
    }
    const isLast = next === undefined || kinds[next] === lineEnd
    const isLiteral = kind === literal || (kind === blank && !isLast)
    const size = isLiteral ? 1 : 3
    // A line that goes on ends in a soft break, which takes a place itself.
    if (column + size > (isLast ? lineLengthMax : lineLengthMax - 1)) {
      output[at++] = equals
      output[at++] = cr
      output[at++] = lf
      column = 0
    }
    if (isLiteral) output[at++] = byte
    else {
      output[at++] = equals
      output[at++] = hex[byte >> 4] ?? 0
      output[at++] = hex[byte & 15] ?? 0
    }
    column += size
  }
  position.read = index
  position.column = column
  return output.subarray(0, at)
}

/** Decodes quoted-printable, in steps; what is no escape stays as it is, as mail programs do. */
export function* decodeQuotedPrintableInSteps(input: Uint8Array): Steps<Buffer> {
  const output = Buffer.allocUnsafe(input.length)
  const position = { read: 0, written: 0 }
  while (position.read < input.length) {
    const { read } = position
    decodeRun(input, output, position)
    yield position.read - read
  }
  return output.subarray(0, position.written)
}

/** How far the input is decoded, and the output filled. */
interface DecodingPosition {
  read: number
  written: number
}

/** Decodes the bytes of one step, to the end of its last escape, and moves the position. */
function decodeRun(input: Uint8Array, output: Buffer, position: DecodingPosition): void {
  let { read: index, written: at } = position
  const until = Math.min(input.length, index + stepBytes)
  for (; index < until; index++) {
    const byte = input[index] ?? 0
    if (byte !== equals) {
      output[at++] = byte
      continue
    }
    const softBreak = softBreakLength(input, index + 1)
    if (softBreak !== undefined) {
      index += softBreak
      continue
    }
    const high = hexValue(input[index + 1])
    const low = hexValue(input[index + 2])
    if (high === -1 || low === -1) output[at++] = byte
    else {
      output[at++] = high * 16 + low
      index += 2
    }
  }
  position.read = index
  position.written = at
}

/** Returns the length of the white space and line end after an equals sign; undefined where it is no soft line break. */
function softBreakLength(input: Uint8Array, start: number): number | undefined {
  let at = start
  while (input[at] === space || input[at] === tab) at += 1
  if (at === input.length) return at - start
  if (input[at] === lf) return at - start + 1
  return input[at] === cr && input[at + 1] === lf ? at - start + 2 : undefined
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const upper = byte & 0xdf
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1
}
