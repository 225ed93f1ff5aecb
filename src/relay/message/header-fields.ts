import type { ByteChunks } from './byte-chunks.ts'

/** A header field, as it stands in a head. */
export interface HeaderField {
  /** In small letters; '' for a line that is no field. */
  readonly name: string
  /** Where its line begins, and where the next field's does, in the head. */
  readonly start: number
  readonly end: number
  /** What is after the colon, unfolded and trimmed; each character is a byte. */
  readonly value: string
}

/** The head of a message or of a part. */
export interface FieldBlock {
  /** Where it ends, in the message. */
  readonly end: number
  readonly fields: readonly HeaderField[]
}

/** No honest head is larger; what comes after is kept, and not looked at. */
const headBytesMax = 524_288

/**
 * Reads the head that begins at `from`, of what goes on to `to`. One that is larger than `sizeBytesMax` goes on to the end:
 * there is no body.
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

/**
 * Where a head ends that begins at `from`: after the line end of its last field. What follows is an empty
 * line and the body; or nothing, where there is no body.
 */
function endOfHead(bytes: ByteChunks, from: number, to: number): number {
  if (startOfBody(bytes, from, to) > from) return from
  let end = to
  for (const needle of blankLines) {
    const found = bytes.indexOf(needle, from, end)
    if (found !== -1) end = found + 1
  }
  return end
}

/** Where the body begins after a head that ends at `end`. */
export function startOfBody(bytes: ByteChunks, end: number, to: number): number {
  const line = bytes.slice(end, Math.min(to, end + 2)).toString('latin1')
  return end + (/^(\r\n?|\n)/.exec(line)?.[0].length ?? 0)
}

/** No honest message has so many; what comes after is kept, and not looked at. */
const fieldsMax = 5_000

/** Reads the fields of a head, whose characters are its bytes (`latin1`); folded lines belong to their field. */
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

/** The values of all fields of a name. */
export function valuesOf(fields: readonly HeaderField[], name: string): string[] {
  return fields.filter((field) => field.name === name).map((field) => field.value)
}

function endOfField(head: string, start: number): number {
  const lineEnds = /\r\n?|\n/g
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
