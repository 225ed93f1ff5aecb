import { phpFault, TwigError } from '../errors.ts'
import { isCollection, isList, sizeOf } from './collections.ts'
import { Arrow, type Key, Markup, TwigObject, type Value } from './value.ts'

/**
 * Converts a value to a string like PHP: true is '1', false and null are '', a collection is
 * 'Array'.
 *
 * @throws TwigError for an object that is not printable.
 */
export function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  if (value === null || value === false) return ''
  if (value === true) return '1'
  if (value instanceof Markup) return value.text
  if (value instanceof TwigObject) {
    if (value.kind.text !== undefined) return value.kind.text(value.data)
  } else if (Array.isArray(value) || value instanceof Map) {
    return 'Array'
  }
  throw phpFault(`Object of class ${typeName(value)} could not be converted to string`)
}

/**
 * Converts a value to a boolean like PHP: null, false, 0, '', '0' and the empty collection are
 * false.
 */
export function toBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (value === null) return false
  if (typeof value === 'string') return value !== '' && value !== '0'
  if (typeof value === 'number') return value !== 0
  if (isList(value)) return value.length > 0
  if (value instanceof Markup) return value.text !== '' && value.text !== '0'
  return true
}

/** Twig's `is empty`: null, false, '' and the empty collection. 0 and '0' are not empty. */
export function isEmpty(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  if (isCollection(value)) return sizeOf(value) === 0
  if (value instanceof Markup) return value.text === ''
  if (value instanceof TwigObject) return value.kind.text?.(value.data) === ''
  return false
}

/** Returns true for a number that PHP holds as an int: whole, and below 2^63. */
export function isInt(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63
}

/** Returns the type of a value as PHP's `get_debug_type` names it, for error messages. */
export function typeName(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return isInt(value) ? 'int' : 'float'
  if (typeof value === 'string') return 'string'
  if (value instanceof Markup) return 'Twig\\Markup'
  if (isCollection(value)) return 'array'
  if (value instanceof Arrow) return 'Closure'
  return value.kind.className
}

const wholeNumber = /^(?:0|-?[1-9][0-9]{0,18})$/

/** Converts a string to PHP's form of a key: an integer string becomes a number. */
export function textKey(text: string): Key {
  const first = text.charCodeAt(0)
  // Only a digit or a minus sign can start a number. Nearly every name returns here.
  if (first > 57 || (first < 48 && first !== 45) || text === '') return text
  if (!wholeNumber.test(text)) return text
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

/** V8 hashes longer strings by their length alone, so a map of them compares whole strings. */
const keyLengthMax = 10_000

/** Converts a value to PHP's form of a key: floats are truncated, true is 1, null is ''. */
export function toKey(value: Value): Key {
  if (typeof value === 'string' && value.length > keyLengthMax) {
    throw new TwigError('limit', `A key is longer than ${keyLengthMax} characters.`)
  }
  if (typeof value === 'string') return textKey(value)
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null) return ''
  if (value instanceof Markup) return textKey(value.text)
  throw phpFault(`Illegal offset type: ${typeName(value)}`)
}

/** PHP prints floats with 14 significant digits. */
const printedDigits = 14
/**
 * `json_encode` and `dump` print the shortest digits that read back the same. The exponent starts
 * at 17 digits.
 */
const exactDigits = 17

/** Formats a number as PHP prints it: `0.1 + 0.2` is `0.3`, `1e25` is `1.0E+25`. */
export function numberText(value: number): string {
  if (Number.isInteger(value)) {
    if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : String(value)
    if (isInt(value)) return BigInt(value).toString()
  }
  if (!Number.isFinite(value)) return notFinite(value)
  const [digits, exponent] = value.toExponential(printedDigits - 1).split('e')
  return formatDigits(digits ?? '', Number(exponent), printedDigits)
}

/** Formats a number with all its digits, for JSON and `dump`. */
export function exactNumberText(value: number): string {
  if (Object.is(value, -0)) return '-0'
  if (isInt(value)) return BigInt(value).toString()
  if (!Number.isFinite(value)) return notFinite(value)
  const [digits, exponent] = value.toExponential().split('e')
  return formatDigits(digits ?? '', Number(exponent), exactDigits)
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NAN'
  return value > 0 ? 'INF' : '-INF'
}

/** Formats like C's %G: plain digits when the point is near, else an exponent. */
function formatDigits(mantissa: string, exponent: number, digitLimit: number): string {
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replace('-', '').replace('.', '').replace(/0+$/, '') || '0'
  if (exponent < -4 || exponent >= digitLimit) {
    const fraction = digits.slice(1) || '0'
    const exponentSign = exponent < 0 ? '-' : '+'
    return `${sign}${digits[0]}.${fraction}E${exponentSign}${Math.abs(exponent)}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
