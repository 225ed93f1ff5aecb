const lineLengthMax = 76
const hex = Buffer.from('0123456789ABCDEF')
const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const equals = 0x3d
const tilde = 0x7e

/**
 * Encodes the body of a part as quoted-printable.
 * @param body Its line ends are CRLF, and stay.
 * @param isEncoded Whether it is quoted-printable already: then only what no line of ASCII may have is encoded.
 * @see RFC 2045, section 6.7
 */
export function encodeQuotedPrintable(body: Buffer, isEncoded: boolean): Buffer {
  // Each byte takes three at the most, and a soft line break comes after 73 at the earliest.
  const output = Buffer.allocUnsafe(Math.ceil(body.length * 3 * 1.05) + 8)
  let length = 0
  let column = 0
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] ?? 0
    const next = body[index + 1]
    if (byte === carriageReturn && next === lineFeed) {
      output[length++] = carriageReturn
      output[length++] = lineFeed
      index += 1
      column = 0
      continue
    }
    const isEscape = isEncoded && byte === equals
    if (isEscape && next === carriageReturn && body[index + 2] === lineFeed) {
      // A soft line break of the body.
      output[length++] = equals
      continue
    }
    const isLast = next === undefined || next === carriageReturn
    const isBlank = byte === space || byte === tab
    const isLiteral =
      isEscape ||
      (isBlank && (isEncoded || !isLast)) ||
      (byte > space && byte <= tilde && byte !== equals)
    // The two digits of an escape stay on its line.
    const size = isLiteral && !isEscape ? 1 : 3
    if (column + size > (isLast ? lineLengthMax : lineLengthMax - 1)) {
      output[length++] = equals
      output[length++] = carriageReturn
      output[length++] = lineFeed
      column = 0
    }
    if (isLiteral) {
      output[length++] = byte
      column += 1
    } else {
      output[length++] = equals
      output[length++] = hex[byte >> 4] ?? 0
      output[length++] = hex[byte & 15] ?? 0
      column += 3
    }
  }
  return output.subarray(0, length)
}
