const carriageReturn = 0x0d
const lineFeed = 0x0a
const dot = 0x2e

/** A lone CR or LF, or a line that begins with a dot. */
const needsRewriting = /\r(?!\n)|(?<!\r)\n|\n\.|^\./
const terminator = Buffer.from('\r\n.\r\n')

/**
 * A message as DATA carries it (RFC 5321, section 4.5.2): `head` before it, dots doubled, the line with
 * a single dot at its end. Lone CRs and LFs become CRLF: a server that takes one for a line end could
 * otherwise be shown an end of data, and commands, within a message.
 */
export function encodeData(head: string, raw: Uint8Array): Buffer {
  const body = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const clean = needsRewriting.test(body.toString('latin1')) ? rewrite(body) : body
  const endsLine = clean.length >= 2 && clean[clean.length - 1] === lineFeed
  const end = endsLine || clean.length === 0 ? terminator.subarray(2) : terminator
  const headLength = Buffer.byteLength(head)
  const data = Buffer.allocUnsafe(headLength + clean.length + end.length)
  data.write(head)
  data.set(clean, headLength)
  data.set(end, headLength + clean.length)
  return data
}

function rewrite(body: Buffer): Buffer {
  // At worst every byte is a lone line end or a dot on a line of its own.
  const clean = Buffer.allocUnsafe(body.length * 2)
  let length = 0
  let isLineStart = true
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] ?? 0
    if (byte === carriageReturn || byte === lineFeed) {
      if (byte === carriageReturn && body[index + 1] === lineFeed) index += 1
      clean[length++] = carriageReturn
      clean[length++] = lineFeed
      isLineStart = true
      continue
    }
    if (isLineStart && byte === dot) clean[length++] = dot
    clean[length++] = byte
    isLineStart = false
  }
  return clean.subarray(0, length)
}
