const wordLengthMax = 75
const prefix = '=?UTF-8?B?'
const suffix = '?='
/** Bytes whose base64 fits between prefix and suffix: four characters for each three bytes. */
const chunkSizeMax = Math.floor((wordLengthMax - prefix.length - suffix.length) / 4) * 3

/**
 * A header's text as encoded words (RFC 2047) where it needs them, folded, no character cut in two; as
 * it is where it is printable ASCII. Line ends cannot come through.
 */
export function encodeHeaderText(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, ' ')
  const isPlain = /^[\x20-\x7e]*$/.test(line) && !line.includes('=?') && line.length <= 200
  if (isPlain) return line
  return chunks(line)
    .map((chunk) => `${prefix}${Buffer.from(chunk).toString('base64')}${suffix}`)
    .join('\r\n ')
}

/** A name as it stands before an address: quoted where it must be, encoded where it has other letters. */
export function encodeDisplayName(name: string): string {
  const line = name.replaceAll(/[\r\n]+/g, ' ')
  if (/^[\w !#$%&'*+/=?^`{|}~-]*$/.test(line) && !line.includes('=?')) return line
  if (/^[\x20-\x7e]*$/.test(line) && !line.includes('=?') && line.length < wordLengthMax) {
    return `"${line.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
  }
  return encodeHeaderText(line)
}

function chunks(text: string): string[] {
  const found: string[] = []
  let chunk = ''
  let size = 0
  for (const character of text) {
    const length = Buffer.byteLength(character)
    if (size + length > chunkSizeMax) {
      found.push(chunk)
      chunk = ''
      size = 0
    }
    chunk += character
    size += length
  }
  return [...found, chunk]
}
