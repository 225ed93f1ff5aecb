/** A `Content-Type` or `Content-Disposition`, taken apart. */
export interface ParameterizedValue {
  /** In small letters, without parameters. */
  readonly value: string
  /** By name in small letters. */
  readonly parameters: ReadonlyMap<string, string>
}

const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/gs

/** No honest value is longer; what comes after is not looked at, and millions of escapes would overflow the stack. */
const lengthMax = 8_192

/**
 * Reads a value with parameters (RFC 2045, section 5.1), as leniently as mail programs do: without quotes
 * a parameter goes on to the next semicolon. Of parameters in several parts (RFC 2231) none is put together.
 */
export function parseParameterized(text: string): ParameterizedValue {
  const honest = text.slice(0, lengthMax)
  const line = honest.includes('(') ? withoutComments(honest) : honest
  const semicolon = line.indexOf(';')
  const value = (semicolon === -1 ? line : line.slice(0, semicolon)).trim().toLowerCase()
  const parameters = new Map<string, string>()
  if (semicolon === -1) return { value, parameters }
  for (const [, name = '', quoted, bare = ''] of line.slice(semicolon).matchAll(parameter)) {
    const key = name.toLowerCase()
    if (parameters.has(key)) continue
    parameters.set(key, quoted === undefined ? bare.trim() : quoted.replaceAll(/\\(.)/gs, '$1'))
  }
  return { value, parameters }
}

/** Comments may stand anywhere outside of quotes, and within each other (RFC 5322, section 3.2.2). */
function withoutComments(text: string): string {
  let depth = 0
  let isQuoted = false
  let rest = ''
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    const isEscape = character === '\\' && (isQuoted || depth > 0)
    if (depth === 0 && character === '"') isQuoted = !isQuoted
    if (!isQuoted && character === '(') depth += 1
    else if (!isQuoted && character === ')' && depth > 0) depth -= 1
    else if (depth === 0) rest += isEscape ? text.slice(index, index + 2) : character
    if (isEscape) index += 1
  }
  return rest
}
