import { DsnError } from './dsn.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u001f\u007f]/

/** Whether a text has a control character. */
export function hasControls(text: string): boolean {
  return control.test(text)
}

const names: Record<string, string> = {
  ' ': 'a space',
  '\t': 'a tab',
  '\n': 'a line feed',
  '\r': 'a carriage return',
  '\0': 'a NUL',
}

/** Names a character for a sentence: `a space`, `"/"`. */
export function nameOf(character: string): string {
  if (names[character] !== undefined) return names[character]
  return control.test(character) ? 'a control character' : `"${character}"`
}

/**
 * Refuses control characters and invalid UTF-8 in a decoded value. Symfony passes them on, so that a password or an EHLO
 * name can inject SMTP commands.
 * @throws {DsnError}
 */
export function refuseControls(part: string, value: string): void {
  if (value.includes('\ufffd'))
    throw new DsnError(
      'control_character',
      `${part} contains bytes that are not UTF-8. Percent-encode its UTF-8 form (for example ä as %C3%A4), and write a literal "%" as %25.`,
    )
  const match = control.exec(value)
  if (match === null) return
  throw new DsnError(
    'control_character',
    `${part} contains ${nameOf(match[0])} (${percentOf(match[0])}), which no mail server accepts; remove it.`,
  )
}

const escapeRuns = /(?:%[0-9A-Fa-f]{2})+/g
const hexDigits = /^[0-9A-Fa-f]{2}$/

/**
 * Decodes `%XX` as PHP's `rawurldecode` does: a `%` without two hex digits stays as it is. Invalid UTF-8 becomes U+FFFD.
 */
export function decodePercent(text: string): string {
  let decoded = ''
  let from = 0
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', at + 1)) {
    const hex = text.slice(at + 1, at + 3)
    if (!hexDigits.test(hex)) continue
    const code = Number.parseInt(hex, 16)
    // A character beyond ASCII has several bytes, which are decoded together.
    if (code >= 0x80) return text.replace(escapeRuns, decodeRun)
    decoded += text.slice(from, at) + String.fromCharCode(code)
    from = at + 3
    at += 2
  }
  return from === 0 ? text : decoded + text.slice(from)
}

function decodeRun(run: string): string {
  return Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8')
}

/** Decodes a name or value of a query as PHP's `urldecode` does: `+` is a space. */
export function decodeQuery(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

/** Percent-encodes a text for any part of a DSN, also inside a list. */
export function encodePercent(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, percentOf)
}

/** Percent-encodes a character: `/` becomes `%2F`. */
export function percentOf(character: string): string {
  let encoded = ''
  for (const byte of Buffer.from(character, 'utf8'))
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return encoded
}
