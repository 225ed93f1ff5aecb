import { isAscii } from 'node:buffer'
import { largeBytes, pause, pauseIfLarge } from '../../kit/pause.ts'
import { decodeQuotedPrintable, encodeQuotedPrintable } from '../rendering/quoted-printable.ts'

const lineLengthMax = 998
const base64LineLength = 76

/** Decodes a body; undefined where its base64 is broken. */
export function decodeTransfer(body: Buffer, encoding: string): Buffer | undefined {
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(withCrlf(body))
  if (encoding === 'base64') return decodeBase64(body)
  return body
}

/** An encoded body. */
export interface EncodedBody {
  body: Buffer
  /** `quoted-printable`, where the wanted encoding cannot hold the content. */
  encoding: string
}

/** How a body was encoded. */
export interface Encoding {
  encoding: string
  /** The body before. */
  before: Buffer
  /** No line may begin with one of these. */
  delimiters: readonly Buffer[]
}

/**
 * Encodes content as it was encoded before. Lines that are too long or begin like a boundary, and bytes
 * beyond ASCII in `7bit`, need quoted-printable.
 */
export async function encodeTransfer(
  content: Buffer,
  { encoding, before, delimiters }: Encoding,
): Promise<EncodedBody> {
  if (encoding === 'base64') return { encoding, body: encodeBase64(content, before) }
  const isSound = hasShortLines(content) && !holdsDelimiter(content, delimiters)
  const fits = isSound && (encoding !== '7bit' || isAscii(content))
  if (encoding !== 'quoted-printable' && fits) return { encoding, body: content }
  const canonical = encoding === 'quoted-printable' ? content : withCrlf(content)
  await pauseIfLarge(content.length)
  const body = await encodeInPieces(canonical)
  const isSafe = !holdsDelimiter(body, delimiters)
  return { encoding: 'quoted-printable', body: isSafe ? body : withoutDelimiters(body) }
}

/** Encodes quoted-printable in pieces that end with a line, and so do not depend on each other. */
async function encodeInPieces(content: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let at = 0; at < content.length; ) {
    if (at > 0) await pause()
    const lineEnd = content.indexOf('\r\n', at + largeBytes)
    const end = lineEnd === -1 ? content.length : lineEnd + 2
    pieces.push(encodeQuotedPrintable(content.subarray(at, end)))
    at = end
  }
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}

/** Whether a line begins like a boundary line: some mail programs compare only the beginning. */
function holdsDelimiter(content: Buffer, delimiters: readonly Buffer[]): boolean {
  return delimiters.some((delimiter) => {
    const isFirst = content.subarray(0, delimiter.length).equals(delimiter)
    return isFirst || content.includes(Buffer.concat([Buffer.from('\n'), delimiter]))
  })
}

/** Escapes the hyphens at the beginnings of lines of quoted-printable. */
function withoutDelimiters(body: Buffer): Buffer {
  const text = body.toString('latin1').replaceAll(/^--/gm, '=2D=\r\n-')
  return Buffer.from(text, 'latin1')
}

/** Decodes base64; undefined for characters that some mail programs stop at and others ignore. */
function decodeBase64(body: Buffer): Buffer | undefined {
  const text = body.toString('latin1').replaceAll(/[\r\n\t ]+/g, '')
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  return Buffer.from(text, 'base64')
}

/** Encodes in lines, with the line end of the body before at the end. */
function encodeBase64(content: Buffer, before: Buffer): Buffer {
  const text = content.toString('base64')
  const lines: string[] = []
  for (let at = 0; at < text.length; at += base64LineLength)
    lines.push(text.slice(at, at + base64LineLength))
  const end = /[\r\n\t ]*$/.exec(before.subarray(-100).toString('latin1'))?.[0] ?? ''
  return Buffer.from(lines.join('\r\n') + end, 'latin1')
}

/** A lone LF is sent as CRLF in any case, so it is a line end here too. */
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
