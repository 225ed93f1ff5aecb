import { isInt } from './type-name.ts'

/** PHP prints floats with 14 significant digits. */
const printedDigits = 14
/** `json_encode` and `dump` print the shortest digits that read back the same; 17 is where E begins. */
const exactDigits = 17

/** A number as PHP prints it: `0.1 + 0.2` is `0.3`, `1e25` is `1.0E+25`. */
export function numberText(value: number): string {
  if (Number.isInteger(value)) {
    if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : String(value)
    if (isInt(value)) return BigInt(value).toString()
  }
  if (!Number.isFinite(value)) return notFinite(value)
  const [digits, exponent] = value.toExponential(printedDigits - 1).split('e')
  return layOut(digits ?? '', Number(exponent), printedDigits)
}

/** A number with all its digits, as PHP writes it into JSON and into `dump`. */
export function exactNumberText(value: number): string {
  if (Object.is(value, -0)) return '-0'
  if (isInt(value)) return BigInt(value).toString()
  if (!Number.isFinite(value)) return notFinite(value)
  const [digits, exponent] = value.toExponential().split('e')
  return layOut(digits ?? '', Number(exponent), exactDigits)
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NAN'
  return value > 0 ? 'INF' : '-INF'
}

/** C's %G: plain digits while the point is near, else an exponent. */
function layOut(mantissa: string, exponent: number, digitLimit: number): string {
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
