const named: Record<string, string> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const escaped = /\\(?:#\{|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[\s\S]|$)/g

/**
 * The text of a string literal: `\n`, `\x41`, `\101` and the like stand for what they name, a backslash
 * before anything else is dropped. PHP makes bytes of the numbers, this makes code points.
 */
export function unescapeString(text: string): string {
  return text.includes('\\') ? text.replace(escaped, unescapeOne) : text
}

function unescapeOne(sequence: string): string {
  const rest = sequence.slice(1)
  if (rest === '') return '\\'
  if (/^x./.test(rest)) return String.fromCharCode(Number.parseInt(rest.slice(1), 16))
  if (/^[0-7]/.test(rest)) return String.fromCharCode(Number.parseInt(rest, 8) & 0xff)
  return named[rest] ?? rest
}
