const xtext = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})+$/i

/**
 * Decodes xtext: printable ASCII, in which `+2B` stands for the byte 2B. The bytes are read as UTF-8. Returns undefined if
 * the text is malformed or empty.
 * @see RFC 3461, section 4
 */
export function decodeXtext(text: string): string | undefined {
  if (!xtext.test(text)) return undefined
  const bytes = text.replace(/\+([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/**
 * Writes the characters of an address that are not printable ASCII as `\x{F6}`. The result is 7-bit, and valid xtext if the
 * address has no `+` and `=`.
 * @see RFC 6533, section 3 (utf-8-addr-xtext)
 */
export function escapeUnicode(address: string): string {
  return address.replace(
    /[^!-~]/gu,
    (character) => `\\x{${character.codePointAt(0)?.toString(16).toUpperCase()}}`,
  )
}
