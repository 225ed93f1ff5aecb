import { isAscii } from 'node:buffer'
import { decodeQuotedPrintableInSteps, encodeQuotedPrintableInSteps } from './quoted-printable.ts'
import { type Steps, stepBytes } from './steps.ts'

const lineLengthMax = 998
const base64LineLength = 76
const lineFeed = Buffer.from('\n')

/** Decodes a body; undefined where its base64 is broken. */
export function* decodeTransfer(body: Buffer, encoding: string): Steps<Buffer | undefined> {
  if (encoding === 'quoted-printable')
    return yield* decodeQuotedPrintableInSteps(yield* withCrlf(body))
  if (encoding === 'base64') return yield* decodeBase64(body)
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
export function* encodeTransfer(
  content: Buffer,
  { encoding, before, delimiters }: Encoding,
): Steps<EncodedBody> {
  if (encoding === 'base64') return { encoding, body: yield* encodeBase64(content, before) }
  const isSound = (yield* hasShortLines(content)) && !(yield* holdsDelimiter(content, delimiters))
  const fits = isSound && (encoding !== '7bit' || isAscii(content))
  if (encoding !== 'quoted-printable' && fits) return { encoding, body: content }
  const canonical = encoding === 'quoted-printable' ? content : yield* withCrlf(content)
  const body = yield* encodeQuotedPrintableInSteps(canonical)
  const isSafe = !(yield* holdsDelimiter(body, delimiters))
  return { encoding: 'quoted-printable', body: isSafe ? body : withoutDelimiters(body) }
}

/** Whether a line begins like a boundary line: some mail programs compare only the beginning. */
function* holdsDelimiter(content: Buffer, delimiters: readonly Buffer[]): Steps<boolean> {
  for (const delimiter of delimiters) {
    if (content.subarray(0, delimiter.length).equals(delimiter)) return true
    if (content.includes(Buffer.concat([lineFeed, delimiter]))) return true
    yield content.length
  }
  return false
}

/** Escapes the hyphens that begin lines of quoted-printable, on separate lines: what follows them may fill a line. */
function withoutDelimiters(body: Buffer): Buffer {
  const text = body
    .toString('latin1')
    .replaceAll(/^(-{2,})([^\r\n]*)/gm, (_line, hyphens: string, rest: string) => {
      const escaped = '=2D'.repeat(hyphens.length).replaceAll(/(?:=2D){25}(?=.)/g, '$&=\r\n')
      return rest === '' ? escaped : `${escaped}=\r\n${rest}`
    })
  return Buffer.from(text, 'latin1')
}

const carriageReturn = 0x0d
const lineFeedByte = 0x0a
const isBase64 = /^[A-Za-z0-9+/]*$/

/** Decodes base64; undefined for characters that some mail programs stop at and others ignore. */
function* decodeBase64(body: Buffer): Steps<Buffer | undefined> {
  const pieces: Buffer[] = []
  /** The characters that wait for the rest of their group of four, or for the padding at the end. */
  let rest = ''
  for (let at = 0; at < body.length; at += stepBytes) {
    const piece = body.subarray(at, at + stepBytes)
    const text = rest + piece.toString('latin1').replaceAll(/[\r\n\t ]+/g, '')
    const whole = Math.max(0, text.length - (text.length % 4) - 4)
    rest = text.slice(whole)
    const groups = text.slice(0, whole)
    if (!isBase64.test(groups)) return undefined
    pieces.push(Buffer.from(groups, 'base64'))
    yield piece.length
  }
  if (rest.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(rest)) return undefined
  return Buffer.concat([...pieces, Buffer.from(rest, 'base64')])
}

/** A multiple of what makes a line. */
const base64StepBytes = (base64LineLength / 4) * 3 * 4_096

/** Encodes in lines, with the line end of the body before at the end. */
function* encodeBase64(content: Buffer, before: Buffer): Steps<Buffer> {
  const pieces: Buffer[] = []
  for (let from = 0; from < content.length; from += base64StepBytes) {
    const step = content.subarray(from, from + base64StepBytes)
    const text = step.toString('base64')
    const lines: string[] = []
    for (let at = 0; at < text.length; at += base64LineLength)
      lines.push(text.slice(at, at + base64LineLength))
    pieces.push(Buffer.from(`${from === 0 ? '' : '\r\n'}${lines.join('\r\n')}`, 'latin1'))
    yield step.length
  }
  const end = /[\r\n\t ]*$/.exec(before.subarray(-100).toString('latin1'))?.[0] ?? ''
  return Buffer.concat([...pieces, Buffer.from(end, 'latin1')])
}

/** A lone LF is sent as CRLF in any case, so it is a line end here too. */
function* withCrlf(body: Buffer): Steps<Buffer> {
  const pieces: Buffer[] = []
  for (let from = 0; from < body.length; from += stepBytes) {
    const to = Math.min(body.length, from + stepBytes)
    pieces.push(withCrlfBetween(body, from, to))
    yield to - from
  }
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}

function withCrlfBetween(body: Buffer, from: number, to: number): Buffer {
  const input = body.subarray(from, to)
  let at = input.indexOf(lineFeedByte)
  while (at !== -1 && body[from + at - 1] === carriageReturn)
    at = input.indexOf(lineFeedByte, at + 1)
  if (at === -1) return input
  // In the worst case every byte is a lone LF.
  const output = Buffer.allocUnsafe(input.length * 2)
  let written = 0
  for (const [index, byte] of input.entries()) {
    if (byte === lineFeedByte && body[from + index - 1] !== carriageReturn)
      output[written++] = carriageReturn
    output[written++] = byte
  }
  return output.subarray(0, written)
}

function* hasShortLines(content: Buffer): Steps<boolean> {
  let start = 0
  let steppedAt = 0
  for (let at = 0; at <= content.length; at++) {
    const isEnd = at === content.length || content[at] === lineFeedByte
    if (at - start > lineLengthMax + 1) return false
    if (isEnd) start = at + 1
    if (at - steppedAt < stepBytes) continue
    yield at - steppedAt
    steppedAt = at
  }
  return true
}
