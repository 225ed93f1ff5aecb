/** A header field as it is sent. */
export interface HeaderLine {
  /** In lower case; '' for a line that is not a field. */
  readonly name: string
  /** The whole field, folded lines included, without its last line end. Each character is a byte. */
  readonly line: string
}

const carriageReturn = 0x0d
const lineFeed = 0x0a
const space = 0x20
const tab = 0x09

/**
 * Reads the header fields of a message. A lone CR or LF ends a line, because it is sent as CRLF.
 * @param lines Header lines that are sent before the message, each with its CRLF.
 */
export function readHeaderLines(lines: string, raw: Buffer): HeaderLine[] {
  const fields: HeaderLine[] = []
  const head = Buffer.from(lines)
  readInto(fields, head, head.length)
  readInto(fields, raw, endOfHeader(raw))
  return fields
}

/** Returns where the header section ends: before the empty line, or at the end of a message without one. */
export function endOfHeader(raw: Buffer): number {
  for (let start = 0; start < raw.length; ) {
    const end = endOfLine(raw, start)
    if (end === start) return start
    start = afterLineEnd(raw, end)
  }
  return raw.length
}

/** Returns where the body begins, after the empty line at `end`. */
export function afterLineEnd(raw: Buffer, end: number): number {
  if (end >= raw.length) return raw.length
  return raw[end] === carriageReturn && raw[end + 1] === lineFeed ? end + 2 : end + 1
}

function readInto(fields: HeaderLine[], raw: Buffer, until: number): void {
  let fieldStart = -1
  let fieldEnd = 0
  const add = () => {
    if (fieldStart !== -1) fields.push(readField(raw.toString('latin1', fieldStart, fieldEnd)))
  }
  for (let start = 0; start < until; ) {
    const end = endOfLine(raw, start)
    const isFolded = raw[start] === space || raw[start] === tab
    if (!isFolded || fieldStart === -1) {
      add()
      fieldStart = start
    }
    fieldEnd = end
    start = afterLineEnd(raw, end)
  }
  add()
}

function endOfLine(raw: Buffer, start: number): number {
  let end = start
  while (end < raw.length && raw[end] !== lineFeed && raw[end] !== carriageReturn) end += 1
  return end
}

function readField(line: string): HeaderLine {
  const name = /^([!-9;-~]+)[ \t]*:/.exec(line)?.[1] ?? ''
  return { name: name.toLowerCase(), line }
}

/** Returns the value of a field, unfolded and trimmed. Each character is a byte. */
export function unfoldedValue({ line }: HeaderLine): string {
  return line
    .slice(line.indexOf(':') + 1)
    .replace(/[\r\n]+/g, '')
    .trim()
}
