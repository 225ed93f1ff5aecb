const escapeRuns = /(?:%[0-9A-Fa-f]{2})+/g
const hexDigits = /^[0-9A-Fa-f]{2}$/

/**
 * Decodes `%XX` and nothing else, as PHP's `rawurldecode` does: a stray `%` stays as it is, and bytes
 * that are not UTF-8 become U+FFFD.
 */
export function decodePercent(text: string): string {
  let decoded = ''
  let from = 0
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', at + 1)) {
    const hex = text.slice(at + 1, at + 3)
    if (!hexDigits.test(hex)) continue
    const code = Number.parseInt(hex, 16)
    // The bytes of one character belong together.
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

/** Decodes a query's name or value, as PHP's `urldecode` does: `+` is a space here. */
export function decodeQuery(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

/** Encodes a text so that every part of a DSN may hold it, inside a list too. */
export function encodePercent(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, percentOf)
}

/** How a character is written percent-encoded: `/` is `%2F`. */
export function percentOf(character: string): string {
  let encoded = ''
  for (const byte of Buffer.from(character, 'utf8'))
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return encoded
}
