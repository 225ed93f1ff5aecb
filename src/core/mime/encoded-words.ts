import { encodeWord } from 'nodemailer/lib/mime-funcs'

/** Where lines are folded, and the longest line (RFC 5322, section 2.1.1). */
const lineLengthAim = 76
const lineLengthMax = 990
/** Space for the name of the header on its first line. */
const nameLength = 24
/** The length of an encoded word (RFC 2047, section 2). */
const wordLengthMax = 75

/**
 * Encodes and folds the text of a header. Printable ASCII stays readable, so that the addresses of
 * `List-Unsubscribe` stay addresses; other text becomes encoded words (RFC 2047). Line ends become spaces.
 */
export function encodeHeaderText(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, ' ')
  const isPlain = /^[\x20-\x7e]*$/.test(line) && !line.includes('=?')
  return isPlain && !hasLongWord.test(line) ? fold(line) : encodeWords(line)
}

/** Encodes the name before an address: quoted where it must be, encoded where it is not ASCII. */
export function encodeDisplayName(name: string): string {
  const line = name.replaceAll(/[\r\n]+/g, ' ')
  if (/^[\w !#$%&'*+/=?^`{|}~-]*$/.test(line) && !line.includes('=?')) return line
  if (/^[\x20-\x7e]*$/.test(line) && !line.includes('=?') && line.length < wordLengthMax) {
    return `"${line.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
  }
  return encodeWords(line)
}

function encodeWords(text: string): string {
  return encodeWord(text, 'B', wordLengthMax).replaceAll(' ', '\r\n ')
}

const hasLongWord = new RegExp(`\\S{${lineLengthMax}}`)

/** Breaks lines before spaces that a word follows, so that unfolding gives the same text. */
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
