import { decodeQuery, refuseControls } from './characters.ts'
import type { DsnPair } from './dsn.ts'

/**
 * Reads the query of a DSN as PHP's `parse_str` does: `&` separates, `+` is a space, and `.` and spaces in a name become
 * `_`. Of several pairs with the same name the last one counts. A pair without a name is ignored.
 * @param offset The position of the query in the DSN.
 */
export function readQuery(query: string, offset: number): DsnPair[] {
  const pairs: DsnPair[] = []
  let start = 0
  while (start <= query.length) {
    const next = query.indexOf('&', start)
    const end = next === -1 ? query.length : next
    if (end > start) pairs.push(readPair({ query, start, end, offset }))
    start = end + 1
  }
  return pairs
}

interface PairPlace {
  readonly query: string
  readonly start: number
  readonly end: number
  readonly offset: number
}

function readPair({ query, start, end, offset }: PairPlace): DsnPair {
  // The search is limited to the pair, so that many pairs without "=" do not take quadratic time.
  const equals = query.slice(start, end).indexOf('=')
  const hasValue = equals !== -1
  const nameEnd = hasValue ? start + equals : end
  const rawName = query.slice(start, nameEnd)
  const name = optionName(decodeQuery(rawName))
  const valueStart = hasValue ? nameEnd + 1 : end
  const raw = query.slice(valueStart, end)
  const value = decodeQuery(raw)
  // Unencoded control characters were refused for the whole text.
  if (name !== rawName) refuseControls('An option name', name)
  if (value !== raw) refuseControls(`The option ${name}`, value)
  return {
    name,
    nameSpan: { start: offset + start, end: offset + nameEnd },
    hasValue,
    value,
    span: { start: offset + valueStart, end: offset + end },
  }
}

function optionName(decoded: string): string {
  const name = decoded.trimStart()
  const bracket = name.indexOf('[')
  const plain = bracket > 0 && name.includes(']', bracket) ? name.slice(0, bracket) : name
  if (!/[. [\]]/.test(plain)) return name
  const renamed = plain.replace(/[. ]/g, '_')
  return plain === name ? renamed.replace('[', '_') : renamed + name.slice(plain.length)
}
