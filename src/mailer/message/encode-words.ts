/** Bytes that fit one encoded word with its frame (75 characters, RFC 2047, section 2). */
const wordBytesMax = 45

/**
 * A text as a header may hold it: plain where it is printable ASCII, else in encoded words (RFC 2047).
 * A line end becomes part of a word and ends no header.
 */
export function encodeWords(text: string): string {
  const isPlain = /^[\u0020-\u007e]*$/.test(text) && !text.includes('=?')
  return isPlain ? text : encodedWords(text)
}

/** A text in encoded words, whatever it is. */
export function encodedWords(text: string): string {
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > wordBytesMax) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word]
    .map((one) => `=?utf-8?B?${Buffer.from(one).toString('base64')}?=`)
    .join(' ')
}
