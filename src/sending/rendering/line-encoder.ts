import { encodeQuotedPrintable } from './quoted-printable.ts'

/** Encodes text for a part of a message; the pieces together are the part. */
export type EncodeText = (text: string) => Buffer[]

const linesMax = 2_000
const lineEnd = Buffer.from('\r\n')

/** Encodes text as quoted-printable, in one piece. */
export const encodeOnce: EncodeText = (text) => [encodeQuotedPrintable(text)]

/**
 * As `encodeOnce`, for many texts that have most of their lines in common, as an email has that is
 * rendered for each contact: a line is encoded once, since quoted-printable knows nothing beyond it.
 */
export function createLineEncoder(): EncodeText {
  let known = new Map<string, Buffer>()
  const encodeLine = (line: string) => {
    const encoded = encodeQuotedPrintable(line)
    // Lines with something of the contact in them are of no use to others: now and then all are forgotten.
    if (known.size >= linesMax) known = new Map()
    known.set(line, encoded)
    return encoded
  }
  return (text) => {
    const pieces: Buffer[] = []
    let start = 0
    for (;;) {
      const end = text.indexOf('\n', start)
      const isLast = end === -1
      const hasReturn = !isLast && end > start && text.charCodeAt(end - 1) === 0x0d
      const line = isLast ? text.slice(start) : text.slice(start, hasReturn ? end - 1 : end)
      pieces.push(known.get(line) ?? encodeLine(line))
      if (isLast) return pieces
      pieces.push(lineEnd)
      start = end + 1
    }
  }
}
