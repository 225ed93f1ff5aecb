import { type ParsedHeaderValue, parseHeaderValue } from 'nodemailer/lib/mime-funcs'
import type { ByteChunks } from './byte-chunks.ts'
import {
  type FieldBlock,
  type HeaderField,
  readFields,
  startOfBody,
  valuesOf,
} from './message-head.ts'
import type { Steps } from './steps.ts'

/** A part that mail programs show as the text of the message. Positions are offsets in the message. */
export interface TextPart {
  /** Its head; that of the message, where the message is one part. */
  readonly headStart: number
  readonly headEnd: number
  readonly fields: readonly HeaderField[]
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly kind: 'html' | 'text'
  readonly contentType: ParsedHeaderValue
  /** In lower case; `7bit` where the part has none. */
  readonly encoding: string
  /** The beginnings of the boundary lines of the multiparts around it. */
  readonly delimiters: readonly Buffer[]
}

/** Parts beyond these limits are left as they are. */
const partsMax = 500
const depthMax = 20
/** The size of a part's head, and of all together. A part with a larger head is left as it is. */
const partHeadBytesMax = 16_384
const allHeadBytesMax = 262_144
/** The number of lines that look like a boundary. */
const linesMax = 20_000

const htmlTypes = new Set(['text/html', 'text/x-amp-html', 'text/watch-html'])
/** A change within them would break the signature or the encryption. */
const sealedTypes = new Set(['multipart/signed', 'multipart/encrypted'])
const encodings = new Set(['7bit', '8bit', 'binary', 'quoted-printable', 'base64'])

/** Finds the text parts of a message with the head `block`, without attachments, signed and broken parts. */
export function* findTextParts(bytes: ByteChunks, block: FieldBlock): Steps<TextPart[]> {
  const parts: TextPart[] = []
  const budget = { parts: partsMax, lines: linesMax, headBytes: allHeadBytesMax }
  yield* collect({ bytes, parts, budget }, { from: 0, to: bytes.sizeBytes, delimiters: [], block })
  return parts
}

interface Search {
  bytes: ByteChunks
  parts: TextPart[]
  budget: { parts: number; lines: number; headBytes: number }
}

interface Section {
  from: number
  to: number
  delimiters: readonly Buffer[]
  /** Its head, where it was read before. */
  block?: FieldBlock
  /** In a digest, parts without a type are messages. */
  defaultType?: string
}

function* collect(search: Search, section: Section): Steps<void> {
  const { bytes, parts, budget } = search
  if (budget.parts <= 0) return
  budget.parts -= 1
  const { from, to, delimiters, defaultType = 'text/plain' } = section
  const sizeBytesMax = Math.min(partHeadBytesMax, budget.headBytes)
  const block = section.block ?? readFields(bytes, { from, to, sizeBytesMax })
  const { end: headEnd, fields } = block
  if (section.block === undefined) budget.headBytes -= Math.min(headEnd - from, sizeBytesMax)
  if (budget.headBytes <= 0) return
  const types = valuesOf(fields, 'content-type')
  const transferEncodings = valuesOf(fields, 'content-transfer-encoding')
  // Mail programs differ in which of two they use.
  if (types.length > 1 || transferEncodings.length > 1) return
  const contentType = parseValue(types[0] ?? defaultType)
  const encoding = parseValue(transferEncodings[0] ?? '7bit').value
  const bodyStart = startOfBody(bytes, headEnd, to)
  if (contentType.value.startsWith('multipart/')) {
    const isTooDeep = delimiters.length >= depthMax
    if (sealedTypes.has(contentType.value) || !isIdentity(encoding) || isTooDeep) return
    const childType = contentType.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
    const boundary = contentType.params['boundary'] ?? ''
    const delimiter = Buffer.from(`--${boundary}`, 'latin1')
    const inner = { delimiters: [...delimiters, delimiter], defaultType: childType }
    for (const child of split(search, delimiter, { from: bodyStart, to })) {
      yield child.to - child.from
      yield* collect(search, { ...child, ...inner })
    }
    return
  }
  if (!contentType.value.startsWith('text/') || !encodings.has(encoding)) return
  if (isFile(fields, contentType)) return
  const kind = htmlTypes.has(contentType.value) ? 'html' : 'text'
  const positions = { headStart: from, headEnd, bodyStart, bodyEnd: to }
  parts.push({ ...positions, fields, kind, contentType, encoding, delimiters })
}

/** Encodings that a part with parts may have (RFC 2045, section 6.4). */
function isIdentity(encoding: string): boolean {
  return encoding === '7bit' || encoding === '8bit' || encoding === 'binary'
}

function isFile(fields: readonly HeaderField[], { params }: ParsedHeaderValue): boolean {
  const disposition = parseValue(valuesOf(fields, 'content-disposition')[0] ?? 'inline')
  const all = { ...params, ...disposition.params }
  return disposition.value !== 'inline' || 'name' in all || 'filename' in all
}

/** The rest of a longer value is ignored. */
const valueLengthMax = 8_192

/** Parses a Content-Type, a Content-Disposition or an encoding; value and names are in lower case. */
function parseValue(text: string): ParsedHeaderValue {
  const parsed = parseHeaderValue(text.slice(0, valueLengthMax), { stripComments: true })
  return { value: parsed.value.toLowerCase(), params: parsed.params }
}

/** The sections between the boundary lines, without the line end before each (RFC 2046, section 5.1.1). */
function* split(
  { bytes, budget }: Search,
  delimiter: Buffer,
  { from, to }: { from: number; to: number },
): Generator<{ from: number; to: number }> {
  if (delimiter.length === 2) return
  let start: number | undefined
  let at = from
  while (at < to && budget.lines > 0 && budget.parts > 0) {
    budget.lines -= 1
    const index = bytes.indexOf(delimiter, at, to)
    const line =
      index === -1
        ? undefined
        : readDelimiter(bytes, { index, size: delimiter.length }, { from, to })
    if (index !== -1 && line === undefined) {
      at = index + 1
      continue
    }
    if (start !== undefined)
      yield { from: start, to: line === undefined ? to : Math.max(start, line.start) }
    if (line === undefined || line.isLast) return
    start = line.end
    at = line.end
  }
}

interface DelimiterLine {
  /** Where the line end before it begins; it belongs to the boundary. */
  start: number
  end: number
  isLast: boolean
}

/** Undefined where the boundary is not alone on its line. */
function readDelimiter(
  bytes: ByteChunks,
  { index, size }: { index: number; size: number },
  { from, to }: { from: number; to: number },
): DelimiterLine | undefined {
  const before = bytes.slice(Math.max(from, index - 2), index).toString('latin1')
  if (before !== '' && !before.endsWith('\n')) return undefined
  const start = index - (before === '\r\n' ? 2 : Math.min(before.length, 1))
  const after = bytes.slice(index + size, Math.min(to, index + size + 1_000)).toString('latin1')
  const rest = /^(--)?[ \t]*(\r?\n|$)/.exec(after)
  if (rest === null) return undefined
  return { start, end: index + size + rest[0].length, isLast: rest[1] !== undefined }
}
