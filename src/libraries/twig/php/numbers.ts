import { isCollection, sizeOf } from '../values/collections.ts'
import { Markup, type Value } from '../values/value.ts'

/** PHP's `(float)`: the leading number of a string, or 0. Never throws. */
export function toFloat(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null) return 0
  if (typeof value === 'string') return findLeadingNumber(value) ?? 0
  if (value instanceof Markup) return findLeadingNumber(value.text) ?? 0
  if (isCollection(value)) return sizeOf(value) > 0 ? 1 : 0
  return 1
}

/** PHP's `(int)`: truncates towards zero. Infinity and NaN become 0. Never throws. */
export function toInt(value: Value): number {
  const number = Math.trunc(toFloat(value))
  return Number.isFinite(number) ? number + 0 : 0
}

/** Returns the number that PHP accepts for a number parameter. Strings must be numeric. */
export function findNumberIn(value: Value): number | undefined {
  if (typeof value === 'number') return value
  if (value === null) return 0
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' ? findNumber(value) : undefined
}

/**
 * PHP's numeric strings: whitespace around the number is allowed, hexadecimal digits and separators
 * are not.
 */
const numeric =
  /^[ \t\n\r\v\f]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n\r\v\f]*$/
const leading = /^[ \t\n\r\v\f]*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/
/** Longer strings are not read as numbers. */
export const numberLengthMax = 512

/** Returns the value of a numeric string (`is_numeric`), or undefined. */
export function findNumber(text: string): number | undefined {
  const first = text.charCodeAt(0)
  // Digits, signs, points and whitespace come before ':'. Nearly every name returns here.
  if (text === '' || first > 57 || text.length > numberLengthMax) return undefined
  return numeric.test(text) ? Number(text) : undefined
}

/** Returns the leading number of a string ('5 apples' is 5), or undefined. */
export function findLeadingNumber(text: string): number | undefined {
  const match = leading.exec(text.slice(0, numberLengthMax))
  return match?.[1] === undefined ? undefined : Number(match[1])
}
