import { decodeWords } from 'postal-mime'

/** The headers that the list shows stand in this much of a message, or are left out. */
const headBytesMax = 65_536
const valueLengthMax = 998

/** What the list shows of a message's own headers. */
export interface SourceDescription {
  subject: string
  /** With its angle brackets. */
  messageId: string | null
}

/** Reads the headers for the list from the beginning of a message, in time that is linear in that. */
export function describeSource(source: Uint8Array): SourceDescription {
  const head = Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    .subarray(0, headBytesMax)
    .toString('utf8')
  const end = head.search(/\r?\n\r?\n/)
  const lines = (end === -1 ? head : head.slice(0, end)).split(/\r?\n/)
  const subject = findHeader(lines, 'subject')
  const messageId = findHeader(lines, 'message-id')
  return {
    subject: subject === undefined ? '' : storable(decodeWords(subject)),
    messageId: messageId === undefined ? null : storable(messageId),
  }
}

/** The first header of a name, unfolded and cut. */
function findHeader(lines: readonly string[], name: string): string | undefined {
  const prefix = `${name}:`
  const first = lines.findIndex((line) => line.slice(0, prefix.length).toLowerCase() === prefix)
  if (first === -1) return undefined
  const parts = [(lines[first] ?? '').slice(prefix.length)]
  for (const line of lines.slice(first + 1, first + 20)) {
    if (!/^[ \t]/.test(line)) break
    parts.push(line)
  }
  return parts.join('').trim().slice(0, valueLengthMax)
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
export function storable(text: string): string {
  return text.replace(/[\0\r\n]+/g, ' ').toWellFormed()
}
