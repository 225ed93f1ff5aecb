import { refuseControls } from './character.ts'
import type { DsnPair } from './dsn.ts'
import { decodeQuery } from './percent.ts'

/**
 * Reads a DSN's query as PHP's `parse_str` does: `&` separates, `+` is a space, and `.` and blanks in a name
 * become `_`. `offset` is where the query starts in the DSN. Of several of one name the last counts, and one
 * without a name does not.
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
  // Searched for in the pair alone: after many pairs without one, the next "=" may be far away.
  const equals = query.slice(start, end).indexOf('=')
  const hasValue = equals !== -1
  const nameEnd = hasValue ? start + equals : end
  const rawName = query.slice(start, nameEnd)
  const name = optionName(decodeQuery(rawName))
  const valueStart = hasValue ? nameEnd + 1 : end
  const raw = query.slice(valueStart, end)
  const value = decodeQuery(raw)
  // Raw ones were refused for the whole text.
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
