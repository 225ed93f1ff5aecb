import { isAscii } from 'node:buffer'
import { identities, lineLengthMax, type MimePart, readParts, type Span } from './mime-parts.ts'
import { encodeQuotedPrintable } from './quoted-printable.ts'

/** A lone CR or LF, which is sent as CRLF, or NUL, which servers remove. */
const unsafe = /\r(?!\n)|(?<!\r)\n|\0/
const loneLineEnd = /\r(?!\n)|(?<!\r)\n/g

/** Postfix encodes a part with such a label for servers without 8BITMIME, even if it is ASCII. */
const otherEncoding = /8bit|binary/i

/**
 * Gives a message the form that servers pass on unchanged, as a signature needs: line ends of CRLF, lines of at most 998
 * octets, and text of 7 bits that is labelled so. Only parts that need it are encoded again. Signed, encrypted and
 * attached messages stay as they are, as do parts that mail programs read differently.
 */
export function makePortable(raw: Buffer): Buffer {
  const text = raw.toString('latin1')
  const isUnsafe = unsafe.test(text)
  if (!isUnsafe && isAscii(raw) && !hasLongLine(raw) && !otherEncoding.test(text)) return raw
  const clean = isUnsafe ? Buffer.from(text.replace(loneLineEnd, '\r\n'), 'latin1') : raw
  const edits: Edit[] = []
  editPart(clean, readParts(clean), edits)
  return edits.length === 0 ? clean : applyEdits(clean, edits)
}

interface Edit extends Span {
  readonly content: Buffer
}

const lineFeed = 0x0a

function hasLongLine(raw: Buffer): boolean {
  // The last line end that a line may have: with its CR, a line has one byte more.
  for (let start = 0; raw.length - start > lineLengthMax; ) {
    const lineEnd = raw.lastIndexOf(lineFeed, start + lineLengthMax + 1)
    if (lineEnd < start) return true
    start = lineEnd + 1
  }
  return false
}

/** Adds the edits of a part, in their order. Returns whether it has 7 bits then. */
function editPart(raw: Buffer, part: MimePart, edits: Edit[]): boolean {
  for (const line of part.longLines) foldLine(raw, line, edits)
  const bodyEdits: Edit[] = []
  const has7Bits =
    part.parts.length > 0 ? editParts(raw, part, bodyEdits) : editLeaf(raw, part, bodyEdits)
  const encoding = encodingAfter(part, bodyEdits, has7Bits)
  if (encoding !== part.encoding) edits.push(replaceEncoding(part, encoding))
  for (const edit of bodyEdits) edits.push(edit)
  return has7Bits && isAscii(raw.subarray(part.start, part.bodyStart))
}

function editParts(raw: Buffer, part: MimePart, edits: Edit[]): boolean {
  let has7Bits = true
  let end = part.bodyStart
  for (const child of part.parts) {
    has7Bits = isAscii(raw.subarray(end, child.start)) && has7Bits
    has7Bits = editPart(raw, child, edits) && has7Bits
    end = child.bodyEnd
  }
  return isAscii(raw.subarray(end, part.bodyEnd)) && has7Bits
}

function editLeaf(raw: Buffer, part: MimePart, edits: Edit[]): boolean {
  const { bodyStart: start, bodyEnd: end, isEditable } = part
  const body = raw.subarray(start, end)
  if (isAscii(body) && !body.includes(0) && !hasLongLine(body)) return true
  const content = isEditable ? encodeBody(body, part) : undefined
  if (content === undefined) return false
  edits.push({ start, end, content })
  return true
}

/** Encodes a body; undefined if it has to stay as it is. */
function encodeBody(body: Buffer, { type, encoding }: MimePart): Buffer | undefined {
  switch (encoding) {
    case '7bit':
    case '8bit':
    case 'binary':
      return isText(type) ? encodeQuotedPrintable(body, false) : wrapBase64(body.toString('base64'))
    case 'quoted-printable':
      return encodeQuotedPrintable(body, true)
    case 'base64':
      return rewrapBase64(body.toString('latin1'))
    default:
      return undefined
  }
}

function isText(type: string): boolean {
  return type.startsWith('text/')
}

function rewrapBase64(text: string): Buffer | undefined {
  const digits = text.replace(/[\r\n\t ]+/g, '')
  return /^[A-Za-z0-9+/]*={0,2}$/.test(digits) ? wrapBase64(digits) : undefined
}

function wrapBase64(digits: string): Buffer {
  return Buffer.from(digits.replace(/.{76}(?=.)/g, '$&\r\n'), 'latin1')
}

/** Returns the transfer encoding of a part after the edits of its body. */
function encodingAfter(part: MimePart, bodyEdits: readonly Edit[], has7Bits: boolean): string {
  const { encoding, parts, type } = part
  if (!has7Bits || !identities.has(encoding)) return encoding
  if (parts.length > 0 || bodyEdits.length === 0) return '7bit'
  return isText(type) ? 'quoted-printable' : 'base64'
}

function replaceEncoding(part: MimePart, encoding: string): Edit {
  const { headerEnd = part.bodyStart, encodingField, hasMimeVersion, start } = part
  const field = `Content-Transfer-Encoding: ${encoding}\r\n`
  // Without MIME-Version the encoding of a message means nothing (RFC 2045, section 4).
  const version = start === 0 && !hasMimeVersion ? 'MIME-Version: 1.0\r\n' : ''
  const place = encodingField ?? { start: headerEnd, end: headerEnd }
  return { start: place.start, end: place.end, content: Buffer.from(version + field) }
}

/** Where a long header line is folded at the latest. */
const foldedLengthMax = 900

/** Folds a long header line before its blanks. A line that stays too long is not folded at all. */
function foldLine(raw: Buffer, { start, end }: Span, edits: Edit[]): void {
  const line = raw.toString('latin1', start, end)
  const places: number[] = []
  for (let from = 0; line.length - from > lineLengthMax; ) {
    const window = line.slice(from + 1, from + foldedLengthMax)
    const blank = Math.max(window.lastIndexOf(' '), window.lastIndexOf('\t'))
    const place = from + 1 + blank
    // A line of nothing but blanks would end the field for some programs.
    if (blank === -1 || line.slice(from, place).trim() === '') return
    places.push(place)
    from = place
  }
  for (const place of places)
    edits.push({ start: start + place, end: start + place, content: Buffer.from('\r\n') })
}

function applyEdits(raw: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = []
  let end = 0
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    pieces.push(raw.subarray(end, edit.start), edit.content)
    end = edit.end
  }
  return Buffer.concat([...pieces, raw.subarray(end)])
}
