import { isAscii } from 'node:buffer'
import { decodeQuotedPrintable, encodeQuotedPrintable } from '../../sending/index.ts'

const lineLengthMax = 998
const base64LineLength = 76

/** The content of a body in a transfer encoding; undefined where it is broken, or none that is known. */
export function decodeTransfer(body: Buffer, encoding: string): Buffer | undefined {
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(withCrlf(body))
  if (encoding === 'base64') return decodeBase64(body)
  return body
}

/** A body as it is to stand in a message. */
export interface EncodedBody {
  body: Buffer
  /** Another one than asked for, where that cannot hold the content. */
  encoding: string
}

/** How a body was written, and what must not begin a line of it. */
export interface Surroundings {
  encoding: string
  before: Buffer
  delimiters: readonly Buffer[]
}

/**
 * Encodes content as it was before. Lines too long, a line that could be taken for a boundary, and other bytes
 * than ASCII in `7bit` need another encoding.
 */
export function encodeTransfer(
  content: Buffer,
  { encoding, before, delimiters }: Surroundings,
): EncodedBody {
  if (encoding === 'base64') return { encoding, body: encodeBase64(content, before) }
  const isSound = hasShortLines(content) && !holdsDelimiter(content, delimiters)
  const fits = isSound && (encoding !== '7bit' || isAscii(content))
  if (encoding !== 'quoted-printable' && fits) return { encoding, body: content }
  const canonical = encoding === 'quoted-printable' ? content : withCrlf(content)
  const body = encodeQuotedPrintable(canonical)
  const isSafe = !holdsDelimiter(body, delimiters)
  return { encoding: 'quoted-printable', body: isSafe ? body : withoutDelimiters(body) }
}

/** Whether a line begins like a boundary's: some readers look no further than that. */
function holdsDelimiter(content: Buffer, delimiters: readonly Buffer[]): boolean {
  return delimiters.some((delimiter) => {
    const isFirst = content.subarray(0, delimiter.length).equals(delimiter)
    return isFirst || content.includes(Buffer.concat([Buffer.from('\n'), delimiter]))
  })
}

/** The same text in quoted-printable, no line of which begins with two hyphens. */
function withoutDelimiters(body: Buffer): Buffer {
  const text = body.toString('latin1').replaceAll(/^--/gm, '=2D=\r\n-')
  return Buffer.from(text, 'latin1')
}

/** Base64 that every reader takes for the same; undefined for what some stop at and others read over. */
function decodeBase64(body: Buffer): Buffer | undefined {
  const text = body.toString('latin1').replaceAll(/[\r\n\t ]+/g, '')
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  return Buffer.from(text, 'base64')
}

/** In lines, ended as the body before was. */
function encodeBase64(content: Buffer, before: Buffer): Buffer {
  const text = content.toString('base64')
  const lines: string[] = []
  for (let at = 0; at < text.length; at += base64LineLength)
    lines.push(text.slice(at, at + base64LineLength))
  const end = /[\r\n\t ]*$/.exec(before.subarray(-100).toString('latin1'))?.[0] ?? ''
  return Buffer.from(lines.join('\r\n') + end, 'latin1')
}

/** A lone LF goes out as CRLF in any case: as a line end, not as a byte of the text. */
function withCrlf(body: Buffer): Buffer {
  let from = 0
  const pieces: Buffer[] = []
  for (let at = body.indexOf(0x0a); at !== -1; at = body.indexOf(0x0a, at + 1)) {
    if (body[at - 1] === 0x0d) continue
    pieces.push(body.subarray(from, at), Buffer.from('\r\n'))
    from = at + 1
  }
  return pieces.length === 0 ? body : Buffer.concat([...pieces, body.subarray(from)])
}

function hasShortLines(content: Buffer): boolean {
  let start = 0
  while (start < content.length) {
    const end = content.indexOf(0x0a, start)
    const lineEnd = end === -1 ? content.length : end
    if (lineEnd - start > lineLengthMax + 1) return false
    start = lineEnd + 1
  }
  return true
}
