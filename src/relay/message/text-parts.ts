import type { ByteChunks } from './byte-chunks.ts'
import { type ParameterizedValue, parseParameterized } from './content-type.ts'
import {
  type FieldBlock,
  type HeaderField,
  readFields,
  startOfBody,
  valuesOf,
} from './header-fields.ts'

/** A part of a message that is shown as its text. The positions are in the message. */
export interface TextPart {
  /** Its own head: the message's, where the message is one part. */
  readonly headStart: number
  readonly headEnd: number
  readonly fields: readonly HeaderField[]
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly kind: 'html' | 'text'
  readonly contentType: ParameterizedValue
  /** In small letters; `7bit` where none is named. */
  readonly encoding: string
  /** What the multiparts around it begin their boundary lines with. */
  readonly delimiters: readonly Buffer[]
}

/** More than any honest message has; what comes after is left as it is. */
const partsMax = 500
const depthMax = 20
/** The head of a part, and those of all parts together; a part with a larger one is left as it is. */
const partHeadBytesMax = 16_384
const allHeadBytesMax = 262_144
/** Of lines that look like a boundary; a message made to keep us busy has more. */
const linesMax = 20_000

const htmlTypes = new Set(['text/html', 'text/x-amp-html', 'text/watch-html'])
/** A change within them would break what they are for. */
const sealedTypes = new Set(['multipart/signed', 'multipart/encrypted'])
const encodings = new Set(['7bit', '8bit', 'binary', 'quoted-printable', 'base64'])

/**
 * Finds the text parts of a message, whose head is `block`: not attachments, attached messages, or what is
 * signed or broken.
 */
export function findTextParts(bytes: ByteChunks, block: FieldBlock): TextPart[] {
  const parts: TextPart[] = []
  const budget = { parts: partsMax, lines: linesMax, headBytes: allHeadBytesMax }
  collect({ bytes, parts, budget }, { from: 0, to: bytes.sizeBytes, delimiters: [], block })
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
  /** Its head, where that has been read. */
  block?: FieldBlock
  /** In a digest the parts are messages unless they say otherwise. */
  defaultType?: string
}

function collect(search: Search, section: Section): void {
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
  // Readers differ in which of two they believe.
  if (types.length > 1 || transferEncodings.length > 1) return
  const contentType = parseParameterized(types[0] ?? defaultType)
  const encoding = parseParameterized(transferEncodings[0] ?? '7bit').value
  const bodyStart = startOfBody(bytes, headEnd, to)
  if (contentType.value.startsWith('multipart/')) {
    const isTooDeep = delimiters.length >= depthMax
    if (sealedTypes.has(contentType.value) || !isIdentity(encoding) || isTooDeep) return
    const childType = contentType.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
    const boundary = contentType.parameters.get('boundary') ?? ''
    const delimiter = Buffer.from(`--${boundary}`, 'latin1')
    const inner = { delimiters: [...delimiters, delimiter], defaultType: childType }
    for (const child of split(search, delimiter, { from: bodyStart, to }))
      collect(search, { ...child, ...inner })
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

function isFile(fields: readonly HeaderField[], { parameters }: ParameterizedValue): boolean {
  const disposition = parseParameterized(valuesOf(fields, 'content-disposition')[0] ?? 'inline')
  const names = [...parameters.keys(), ...disposition.parameters.keys()]
  return disposition.value !== 'inline' || names.some((name) => /^(file)?name(\*|$)/.test(name))
}

/** The sections between the boundary's lines (RFC 2046, section 5.1.1), without the line end before each. */
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
    const found = bytes.indexOf(delimiter, at, to)
    const line =
      found === -1
        ? undefined
        : readDelimiter(bytes, { found, size: delimiter.length }, { from, to })
    if (found !== -1 && line === undefined) {
      at = found + 1
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
  /** Where the line end before it begins, which belongs to it. */
  start: number
  end: number
  isLast: boolean
}

/** Undefined where the boundary is not alone on its line. */
function readDelimiter(
  bytes: ByteChunks,
  { found, size }: { found: number; size: number },
  { from, to }: { from: number; to: number },
): DelimiterLine | undefined {
  const before = bytes.slice(Math.max(from, found - 2), found).toString('latin1')
  if (before !== '' && !before.endsWith('\n')) return undefined
  const start = found - (before === '\r\n' ? 2 : Math.min(before.length, 1))
  const after = bytes.slice(found + size, Math.min(to, found + size + 1_000)).toString('latin1')
  const rest = /^(--)?[ \t]*(\r?\n|$)/.exec(after)
  if (rest === null) return undefined
  return { start, end: found + size + rest[0].length, isLast: rest[1] !== undefined }
}
