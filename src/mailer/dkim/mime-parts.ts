import { parseHeaderValue } from 'nodemailer/lib/mime-funcs'

/** A place in a message. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A message, or a part of one. Positions are offsets in the message. */
export class MimePart {
  readonly start: number
  /** The empty line after the header; undefined for a part without a body. */
  headerEnd: number | undefined
  bodyStart: number
  bodyEnd: number
  /** In lower case. */
  type = 'text/plain'
  /** In lower case; `7bit` where the part has none. */
  encoding = '7bit'
  /** Its field Content-Transfer-Encoding with its line end; undefined where it has none. */
  encodingField: Span | undefined
  hasMimeVersion = false
  /** Header lines that are too long to be sent. */
  readonly longLines: Span[] = []
  /** The parts of a multipart whose boundaries are clear. */
  readonly parts: MimePart[] = []
  /** Whether its body may be encoded again. */
  isEditable = true

  constructor(start: number) {
    this.start = start
    this.bodyStart = start
    this.bodyEnd = start
  }
}

/** The longest line without its line end (RFC 5322, section 2.1.1). */
export const lineLengthMax = 998
/** A message is not divided beyond these limits. */
const depthMax = 20
const partsMax = 1_000
/** RFC 2046 allows 70 characters for a boundary. */
const boundaryLengthMax = 256
const valueLengthMax = 8_192

/** A change within them breaks a signature or an encryption. */
const sealedTypes = new Set([
  'multipart/signed',
  'multipart/encrypted',
  'application/pkcs7-mime',
  'application/x-pkcs7-mime',
])
const mimeFields = /^(content-type|content-transfer-encoding|mime-version)$/i
/** Encodings that change no byte. */
export const identities: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary'])

const lineFeed = 0x0a
const dash = 0x2d
const space = 0x20
const tab = 0x09

/**
 * Divides a message into its parts, in one pass over its lines. What mail programs read differently stays one part
 * that must not be edited.
 * @param raw Its line ends are CRLF.
 * @see RFC 2046, section 5.1
 */
export function readParts(raw: Buffer): MimePart {
  const reader = new PartReader(raw)
  for (let start = 0; start < raw.length; ) {
    const lineEnd = raw.indexOf(lineFeed, start)
    const next = lineEnd === -1 ? raw.length : lineEnd + 1
    reader.readLine(start, lineEnd === -1 ? raw.length : lineEnd - 1, next)
    start = next
  }
  return reader.finish()
}

/** A multipart around the current line. */
interface Multipart {
  readonly part: MimePart
  readonly boundary: string
  /** Whether its last boundary line was read. */
  isClosed: boolean
}

interface Field {
  readonly name: string
  readonly span: { readonly start: number; end: number }
  value: string
}

class PartReader {
  readonly #raw: Buffer
  readonly #root = new MimePart(0)
  /** The outermost first. */
  readonly #around: Multipart[] = []
  /** Undefined before the first part of a multipart, and after its last. */
  #current: MimePart | undefined = this.#root
  #isInHeader = true
  /** The fields of the current header that concern MIME. */
  #fields: Field[] = []
  /** What the next folded line continues: one of these fields, or another. */
  #folded: Field | 'other' | undefined
  #count = 1

  constructor(raw: Buffer) {
    this.#raw = raw
  }

  /** Reads the line from `start` to `end`; the next one begins at `next`. */
  readLine(start: number, end: number, next: number): void {
    const level = this.#findBoundary(start, end)
    if (level !== undefined) this.#divide(level, start, next)
    else if (this.#isInHeader && this.#current !== undefined) {
      if (end === start) this.#endHeader(this.#current, start, next)
      else this.#readHeaderLine(this.#current, { start, end }, next)
    }
  }

  finish(): MimePart {
    this.#endParts(0, this.#raw.length)
    return this.#root
  }

  /** Returns the level of the multipart that a line divides. */
  #findBoundary(start: number, end: number): { level: number; isLast: boolean } | undefined {
    if (this.#around.length === 0 || this.#raw[start] !== dash || this.#raw[start + 1] !== dash)
      return undefined
    if (end - start > boundaryLengthMax + '----'.length) return undefined
    const line = this.#raw.toString('latin1', start + 2, end).replace(/[ \t]+$/, '')
    const find = (text: string) =>
      this.#around.findLastIndex(({ boundary, isClosed }) => !isClosed && boundary === text)
    const level = find(line)
    if (level !== -1) return { level, isLast: false }
    const lastLevel = line.endsWith('--') ? find(line.slice(0, -2)) : -1
    return lastLevel === -1 ? undefined : { level: lastLevel, isLast: true }
  }

  #divide({ level, isLast }: { level: number; isLast: boolean }, start: number, next: number) {
    // The line end before a boundary line belongs to the boundary.
    this.#endParts(level + 1, start - 2)
    const multipart = this.#around[level]
    if (multipart === undefined) return
    if (isLast) multipart.isClosed = true
    if (isLast || this.#count === partsMax) return
    this.#count += 1
    this.#current = new MimePart(next)
    this.#isInHeader = true
    this.#fields = []
    this.#folded = undefined
    multipart.part.parts.push(this.#current)
  }

  /** Ends the current part, and the multiparts from `level` on. */
  #endParts(level: number, end: number): void {
    const multiparts = this.#around.splice(level).map(({ part }) => part)
    const ended = this.#current === undefined ? multiparts : [this.#current, ...multiparts]
    for (const part of ended) {
      if (part.headerEnd === undefined) part.isEditable = false
      part.bodyEnd = Math.max(part.bodyStart, end)
    }
    if (level === 0 && this.#root.bodyEnd < end) this.#root.bodyEnd = end
    this.#current = undefined
  }

  #readHeaderLine(part: MimePart, line: Span, next: number): void {
    const { start, end } = line
    part.bodyStart = next
    if (end - start > lineLengthMax) part.longLines.push(line)
    const first = this.#raw[start]
    if (first === space || first === tab) {
      if (this.#folded === undefined) part.isEditable = false
      else if (this.#folded !== 'other') this.#continue(this.#folded, line, next)
      return
    }
    const text = this.#raw.toString('latin1', start, Math.min(end, start + valueLengthMax))
    const [, name] = /^([!-9;-~]+)[ \t]*:/.exec(text) ?? []
    // Some programs take a line that is no field as the beginning of the body.
    if (name === undefined) part.isEditable = false
    this.#folded = 'other'
    if (name === undefined || !mimeFields.test(name)) return
    const value = text.slice(text.indexOf(':') + 1)
    const isCut = end - start > valueLengthMax
    if (isCut) part.isEditable = false
    this.#folded = { name: name.toLowerCase(), span: { start, end: next }, value }
    this.#fields.push(this.#folded)
  }

  #continue(field: Field, { start, end }: Span, next: number): void {
    field.span.end = next
    if (field.value.length <= valueLengthMax)
      field.value += ` ${this.#raw.toString('latin1', start, end).trim()}`
  }

  #endHeader(part: MimePart, end: number, next: number): void {
    part.headerEnd = end
    part.bodyStart = next
    part.bodyEnd = next
    this.#isInHeader = false
    const [type, ...otherTypes] = this.#fields.filter(({ name }) => name === 'content-type')
    const [encoding, ...otherEncodings] = this.#fields.filter(
      ({ name }) => name === 'content-transfer-encoding',
    )
    part.hasMimeVersion = this.#fields.some(({ name }) => name === 'mime-version')
    part.encodingField = encoding?.span
    const isAmbiguous = otherTypes.length + otherEncodings.length > 0
    const isTooLong = [type, encoding].some((field) => (field?.value.length ?? 0) > valueLengthMax)
    if (isAmbiguous || isTooLong || (encoding?.value.length ?? 0) > lineLengthMax / 2) {
      part.isEditable = false
      return
    }
    const { value, params } = parseHeaderValue(type?.value ?? '', { stripComments: true })
    if (type !== undefined) part.type = value.toLowerCase()
    if (encoding !== undefined)
      part.encoding = parseHeaderValue(encoding.value, { stripComments: true }).value.toLowerCase()
    const mayBeDivided = part.isEditable && !sealedTypes.has(part.type)
    if (/^(multipart|message)\//.test(part.type) || !mayBeDivided) part.isEditable = false
    if (mayBeDivided && part.type.startsWith('multipart/')) this.#enter(part, params['boundary'])
  }

  /** Begins to divide a multipart, unless its boundaries can be read in two ways. */
  #enter(part: MimePart, boundary = ''): void {
    if (boundary === '' || boundary.length > boundaryLengthMax) return
    if (!identities.has(part.encoding) || this.#around.length >= depthMax) return
    if (this.#around.some((multipart) => multipart.boundary === boundary)) return
    this.#around.push({ part, boundary, isClosed: false })
    this.#current = undefined
  }
}
