import { addressParser, decodeWords } from 'postal-mime'
import { oneLine } from '../../kit/one-line.ts'
import { type ByteChunks, createByteChunks } from './byte-chunks.ts'
import { decodeUndeclared } from './charset.ts'

/** A header field, and its place in a head. */
export interface HeaderField {
  /** In lower case; '' for a line that is not a field. */
  readonly name: string
  /** Where its line begins and ends in the head, folded lines included. */
  readonly start: number
  readonly end: number
  /** The text after the colon, unfolded and trimmed; each character is a byte. */
  readonly value: string
}

/** The head of a message or of a part. */
export interface FieldBlock {
  /** Where it ends, in the message. */
  readonly end: number
  readonly fields: readonly HeaderField[]
}

/** Fields after this many bytes are kept and not read. */
const headBytesMax = 524_288

/**
 * Reads the head of the message or part between `from` and `to`. A head larger than `sizeBytesMax` is taken
 * to have no body.
 */
export function readFields(
  bytes: ByteChunks,
  { from, to, sizeBytesMax = headBytesMax }: { from: number; to: number; sizeBytesMax?: number },
): FieldBlock {
  const lookedTo = Math.min(to, from + sizeBytesMax)
  const end = endOfHead(bytes, from, lookedTo)
  const fields = parseFields(bytes.slice(from, end).toString('latin1'))
  if (end < lookedTo || lookedTo === to) return { end, fields }
  return {
    end: to,
    fields: [...fields, { name: '', start: end - from, end: to - from, value: '' }],
  }
}

/** A line end and what begins the next: CRLF, or a lone LF or CR, which leave as CRLF too. */
const blankLines = ['\n\r', '\n\n', '\r\r'].map((needle) => Buffer.from(needle))

/** Where a head that begins at `from` ends: after the line end of its last field, before the empty line. */
function endOfHead(bytes: ByteChunks, from: number, to: number): number {
  if (startOfBody(bytes, from, to) > from) return from
  let end = to
  for (const needle of blankLines) {
    const at = bytes.indexOf(needle, from, end)
    if (at !== -1) end = at + 1
  }
  return end
}

/** Where the body begins, after a head that ends at `end`. */
export function startOfBody(bytes: ByteChunks, end: number, to: number): number {
  const line = bytes.slice(end, Math.min(to, end + 2)).toString('latin1')
  return end + (/^(\r\n?|\n)/.exec(line)?.[0].length ?? 0)
}

/** Fields after this many are kept and not read. */
const fieldsMax = 5_000

/** Reads the fields of a head, decoded as latin1, so that each character is a byte. */
function parseFields(head: string): HeaderField[] {
  const fields: HeaderField[] = []
  let start = 0
  while (start < head.length) {
    if (fields.length === fieldsMax) {
      fields.push({ name: '', start, end: head.length, value: '' })
      break
    }
    const end = endOfField(head, start)
    fields.push(readField(head, start, end))
    start = end
  }
  return fields
}

/** The values of all fields with a name. */
export function valuesOf(fields: readonly HeaderField[], name: string): string[] {
  return fields.filter((field) => field.name === name).map((field) => field.value)
}

const lineEnds = /\r\n?|\n/g

function endOfField(head: string, start: number): number {
  lineEnds.lastIndex = start
  while (lineEnds.exec(head) !== null) {
    const end = lineEnds.lastIndex
    if (head[end] !== ' ' && head[end] !== '\t') return end
  }
  return head.length
}

function readField(head: string, start: number, end: number): HeaderField {
  const field = head.slice(start, end)
  const colon = field.indexOf(':')
  const name = colon === -1 ? '' : field.slice(0, colon).trimEnd()
  const isField = name !== '' && /^[!-9;-~]+$/.test(name)
  if (!isField) return { name: '', start, end, value: '' }
  const value = field.slice(colon + 1).replace(/(?:\r\n?|\n)(?=[ \t])/g, '')
  return { name: name.toLowerCase(), start, end, value: value.trim() }
}

/** The facts that the relay reads from a message's head; undefined where missing or malformed. */
export interface MessageHead {
  /** With its angle brackets, without white space. */
  readonly messageId: string | undefined
  /** The bare address of the first mailbox of From. */
  readonly from: string | undefined
  /** Whether the message says `Precedence: Bulk`, in any case. */
  readonly isBulk: boolean
  /** Whether it has `List-Unsubscribe` (RFC 2369). */
  readonly isList: boolean
  /** `List-Unsubscribe`, as far as it is short. */
  readonly listUnsubscribe: string | undefined
  /** As received: encoded. See `decodeValue`. */
  readonly subject: string | undefined
  /** `X-Mailyard-Transport`: a transport's name or id, decoded. */
  readonly transport: string | undefined
  /** The bare address of the first mailbox of To; read only with `X-EMAIL-ID`. */
  readonly to: string | undefined
  /** `X-EMAIL-ID`; a positive integer, as the two below. */
  readonly emailId: number | undefined
  /** `X-Owner-Id` */
  readonly ownerId: number | undefined
  /** `X-Contact-Id` */
  readonly contactId: number | undefined
}

/** Headers that are meant for Mailyard, and are removed. */
export const ownHeaders: ReadonlySet<string> = new Set([
  'x-mailyard-transport',
  'x-email-id',
  'x-owner-id',
  'x-contact-id',
])

/** Reads the head of a message. Of a header that occurs more than once, the first counts. */
export function readHead(fields: readonly HeaderField[]): MessageHead {
  const values = new Map<string, string>()
  for (const { name, value } of fields) if (!values.has(name)) values.set(name, value)
  const first = (name: string) => values.get(name)
  const emailId = readId(first('x-email-id'))
  return {
    messageId: readMessageId(first('message-id')),
    from: readAddress(first('from')),
    isBulk: first('precedence')?.toLowerCase() === 'bulk',
    isList: first('list-unsubscribe') !== undefined,
    listUnsubscribe: first('list-unsubscribe')?.slice(0, valueLengthMax),
    subject: first('subject'),
    transport: readText(first('x-mailyard-transport')),
    to: emailId === undefined ? undefined : readAddress(first('to')),
    emailId,
    ownerId: readId(first('x-owner-id')),
    contactId: readId(first('x-contact-id')),
  }
}

/** Longer values are ignored: parsing them, or storing them for each recipient, costs far more than their length. */
export const valueLengthMax = 8_192

const needsDecoding = /[^\t -~]|=\?/

/**
 * Decodes a header's value, whose characters are bytes: as UTF-8 (RFC 6532) where valid, then its encoded words.
 * A value that is too long is ''.
 */
export function decodeValue(value: string): string {
  if (value.length > valueLengthMax) return ''
  // Most subjects are plain.
  if (!needsDecoding.test(value)) return value
  return decodeWords(decodeUndeclared(Buffer.from(value, 'latin1')))
}

/** How much of a subject is stored with deliveries and queued messages. */
const subjectLengthMax = 255

/** Returns a decoded subject as it is stored: one line, at most 255 characters; null where nothing is left. */
export function storedSubject(subject: string): string | null {
  const line = oneLine(subject, subjectLengthMax)
  return line === '' ? null : line
}

/** A header field as people read it. */
export interface ShownHeader {
  name: string
  value: string
}

const shownHeadersMax = 200
const shownValueMax = 2_000

/** Returns the header fields of a message, decoded: the first 200, each up to 2,000 characters. */
export function readShownHeaders(raw: Uint8Array): ShownHeader[] {
  const bytes = createByteChunks([raw])
  const { fields } = readFields(bytes, { from: 0, to: raw.length })
  return fields
    .filter(({ name }) => name !== '')
    .slice(0, shownHeadersMax)
    .map(({ name, start, value }) => ({
      name: bytes.slice(start, start + name.length).toString('latin1'),
      value: oneLine(decodeValue(value.slice(0, valueLengthMax)), shownValueMax),
    }))
}

function readMessageId(value = ''): string | undefined {
  if (value.length > valueLengthMax) return undefined
  const inBrackets = /<([^<>]*)>/.exec(value)?.[1]
  const id = inBrackets === undefined ? value : `<${inBrackets.replaceAll(/\s+/g, '')}>`
  return id === '' || id === '<>' ? undefined : id
}

function readAddress(value: string | undefined): string | undefined {
  if (value === undefined || value.length > valueLengthMax) return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  const mailboxes = addressParser(text, { flatten: true })
  return mailboxes.map(({ address = '' }) => address).find((address) => address.includes('@'))
}

function readText(value: string | undefined): string | undefined {
  const text = value === undefined ? '' : decodeValue(value).trim()
  // PostgreSQL accepts no NUL, not even in a query.
  return text === '' || text.includes('\0') ? undefined : text
}

function readId(value = ''): number | undefined {
  const id = /^\d{1,15}$/.test(value) ? Number(value) : 0
  return id === 0 ? undefined : id
}
