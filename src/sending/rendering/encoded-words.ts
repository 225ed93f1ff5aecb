const wordLengthMax = 75
const prefix = '=?UTF-8?B?'
const suffix = '?='
/** Bytes whose base64 fits between prefix and suffix: four characters for each three bytes. */
const chunkSizeMax = Math.floor((wordLengthMax - prefix.length - suffix.length) / 4) * 3

/** Where lines are folded, and how long one may be at most (RFC 5322, section 2.1.1). */
const lineLengthAim = 76
const lineLengthMax = 990
/** What the header's own name may take of its first line. */
const nameLength = 24

/**
 * A header's text as encoded words (RFC 2047) where it needs them, no character cut in two; as it is
 * where it is printable ASCII, so that the addresses of `List-Unsubscribe` stay addresses. Folded; line
 * ends of its own cannot come through.
 */
export function encodeHeaderText(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, ' ')
  const isPlain = /^[\x20-\x7e]*$/.test(line) && !line.includes('=?')
  return isPlain && !hasLongWord.test(line) ? fold(line) : encodeWords(line)
}

function encodeWords(text: string): string {
  return chunks(text)
    .map((chunk) => `${prefix}${Buffer.from(chunk).toString('base64')}${suffix}`)
    .join('\r\n ')
}

const hasLongWord = new RegExp(`\\S{${lineLengthMax}}`)

/** Breaks lines before spaces that a word follows: unfolded, the text is what it was. */
function fold(text: string): string {
  if (text.length <= lineLengthAim - nameLength) return text
  let folded = ''
  let width = nameLength
  for (const word of text.split(/(?= [^ ])/)) {
    const isTooWide = width + word.length > lineLengthAim && folded !== '' && word.startsWith(' ')
    if (isTooWide) {
      folded += '\r\n'
      width = 0
    }
    folded += word
    width += word.length
  }
  return folded
}

/** A name as it stands before an address: quoted where it must be, encoded where it has other letters. */
export function encodeDisplayName(name: string): string {
  const line = name.replaceAll(/[\r\n]+/g, ' ')
  if (/^[\w !#$%&'*+/=?^`{|}~-]*$/.test(line) && !line.includes('=?')) return line
  if (/^[\x20-\x7e]*$/.test(line) && !line.includes('=?') && line.length < wordLengthMax) {
    return `"${line.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
  }
  return encodeWords(line)
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
