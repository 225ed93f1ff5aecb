import type { Budget } from '../budget.ts'
import { phpFault } from '../errors.ts'
import { toText } from '../values/conversions.ts'
import type { Value } from '../values/value.ts'
import { toFloat, toInt } from './numbers.ts'

const placeholder =
  /%(?:(%)|(?:([0-9]+)\$)?((?:[-+ 0]|'[\s\S])*)([0-9]*)(?:\.([0-9]*))?([a-zA-Z]?))/g

/** Parsing a placeholder takes a microsecond. */
const placeholderSteps = 10

interface Spec {
  readonly isLeft: boolean
  readonly hasPlus: boolean
  readonly pad: string
  readonly width: number
  readonly precision: number | undefined
}

/** PHP's `sprintf`. Every width is charged before the padding is made. */
export function sprintf(format: string, values: readonly Value[], budget: Budget): string {
  budget.allocateText(format.length)
  let text = ''
  let next = 0
  let end = 0
  for (const match of format.matchAll(placeholder)) {
    text += format.slice(end, match.index)
    end = match.index + match[0].length
    if (match[1] !== undefined) {
      text += '%'
      continue
    }
    const index = match[2] === undefined ? next++ : Number(match[2]) - 1
    const spec = parseSpec(match)
    budget.allocateText(Math.max(spec.width, spec.precision ?? 0))
    const converted = conversion(match[6] ?? '', argument(values, index), spec)
    budget.spend(placeholderSteps)
    budget.allocateText(converted.length)
    text += converted
  }
  return text + format.slice(end)
}

function argument(values: readonly Value[], index: number): Value {
  if (index < 0) {
    throw phpFault('Argument number specifier must be greater than zero and less than 2147483647')
  }
  const value = values[index]
  if (value !== undefined) return value
  throw phpFault(`${index + 2} arguments are required, ${values.length + 1} given`)
}

function parseSpec([, , , flags = '', width, precision]: RegExpMatchArray): Spec {
  let isLeft = false
  let hasPlus = false
  let pad = ' '
  for (let i = 0; i < flags.length; i++) {
    const flag = flags.charAt(i)
    if (flag === '-') isLeft = true
    else if (flag === '+') hasPlus = true
    else pad = flag === "'" ? flags.charAt(++i) : flag
  }
  return {
    isLeft,
    hasPlus,
    pad,
    width: Number(width || 0),
    precision: precision === undefined ? undefined : Number(precision || 0),
  }
}

function conversion(letter: string, value: Value, spec: Spec): string {
  if (letter === 's') return padded(toText(value).slice(0, spec.precision), spec)
  if (letter === 'd' || letter === 'i') return paddedNumber(BigInt(toInt(value)).toString(), spec)
  if (bases.has(letter)) return padded(unsigned(letter, value), spec)
  if (/[feg]/i.test(letter)) {
    return paddedNumber(decimal(letter, toFloat(value), spec.precision ?? 6), spec)
  }
  if (letter === 'c') return String.fromCharCode(toInt(value) & 0xff)
  throw phpFault(
    letter === ''
      ? 'Missing format specifier at end of string'
      : `Unknown format specifier "${letter}"`,
  )
}

const bases = new Map(Object.entries({ u: 10, x: 16, X: 16, o: 8, b: 2 }))

function unsigned(letter: string, value: Value): string {
  const digits = BigInt.asUintN(64, BigInt(toInt(value))).toString(bases.get(letter))
  return letter === 'X' ? digits.toUpperCase() : digits
}

function decimal(letter: string, value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value)
  const kind = letter.toLowerCase()
  if (kind === 'f') return fixed(value, precision)
  const places = Math.min(precision, 53)
  const text = kind === 'e' ? value.toExponential(places) : general(value, Math.max(places, 1))
  return letter === kind ? text : text.toUpperCase()
}

function fixed(value: number, precision: number): string {
  if (Math.abs(value) < 1e21) return value.toFixed(Math.min(precision, 53))
  return `${BigInt(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`
}

function general(value: number, digits: number): string {
  const [mantissa = '', power = ''] = value.toExponential(digits - 1).split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= digits) {
    const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
    return `${short.includes('.') ? short : `${short}.0`}e${power}`
  }
  const plain = value.toFixed(Math.max(0, digits - 1 - exponent))
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? 'Inf' : '-Inf'
}

function padded(text: string, { width, pad, isLeft }: Spec): string {
  if (isLeft) return text.padEnd(width, pad === '0' ? ' ' : pad)
  return text.padStart(width, pad)
}

/** Inserts zeros between the sign and the digits. */
function paddedNumber(text: string, spec: Spec): string {
  const signed = spec.hasPlus && !text.startsWith('-') ? `+${text}` : text
  if (spec.pad !== '0' || spec.isLeft || !/^[+-]/.test(signed)) return padded(signed, spec)
  return signed.charAt(0) + signed.slice(1).padStart(spec.width - 1, '0')
}
