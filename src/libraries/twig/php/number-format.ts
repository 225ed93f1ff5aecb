import type { Budget } from '../budget.ts'

/** The format of a number. */
export interface NumberStyle {
  readonly decimals: number
  readonly point: string
  readonly separator: string
}

/** PHP's `number_format`: rounds to `decimals` digits and groups the integer part by three. */
export function numberFormat(value: number, style: NumberStyle, budget: Budget): string {
  if (!Number.isFinite(value)) return String(value).toLowerCase().replace('infinity', 'inf')
  const places = Math.max(0, Math.trunc(style.decimals))
  budget.allocateText(places + 400 + 130 * style.separator.length)
  const rounded = round(value, places)
  const digits = decimalDigits(Math.abs(rounded), places)
  const pointAt = places === 0 ? digits.length : digits.length - places - 1
  const fraction = places === 0 ? '' : style.point + digits.slice(pointAt + 1)
  const sign = rounded < 0 ? '-' : ''
  return sign + grouped(digits.slice(0, pointAt), style.separator) + fraction
}

function grouped(whole: string, separator: string): string {
  let start = whole.length - 3
  if (start <= 0) return whole
  let text = ''
  for (; start > 0; start -= 3) text = separator + whole.slice(start, start + 3) + text
  return whole.slice(0, start + 3) + text
}

/** Returns the digits, with a point before the last `places`. */
function decimalDigits(value: number, places: number): string {
  const factor = 10 ** places
  if (value * factor < 1e15 && places <= 15) {
    const digits = String(Math.round(value * factor)).padStart(places + 1, '0')
    return places === 0
      ? digits
      : `${digits.slice(0, digits.length - places)}.${digits.slice(digits.length - places)}`
  }
  if (value >= 1e21) return BigInt(value).toString() + (places > 0 ? `.${'0'.repeat(places)}` : '')
  if (places <= 100) return value.toFixed(places)
  return value.toFixed(100) + '0'.repeat(places - 100)
}

/** Doubles have 15 significant digits. Further digits are noise. */
const significantDigits = 15
/** Powers of ten that doubles represent exactly. */
const powers = Array.from({ length: 16 }, (_, power) => 10 ** power)

/**
 * PHP's `round`: rounds halves away from zero in decimal digits, so 1.005 becomes 1.01. A negative
 * `places` rounds before the point.
 */
export function round(value: number, places: number): number {
  const factor = powers[places]
  if (factor !== undefined) {
    const scaled = value * factor
    const nearest = Math.round(scaled)
    // The number is not near a half and short enough to be exact, so the digits would give the same
    // result.
    const isClear = Math.abs(Math.abs(scaled - nearest) - 0.5) > 1e-3
    if (isClear && Math.abs(scaled) < 1e11) return nearest / factor + 0
  }
  return roundDigits(value, Math.trunc(places))
}

function roundDigits(value: number, places: number): number {
  if (!Number.isFinite(value) || value === 0) return value
  const [mantissa = '', power = '0'] = Math.abs(value)
    .toExponential(significantDigits - 1)
    .split('e')
  const digits = mantissa.replace('.', '')
  // The number of digits to keep.
  const kept = Number(power) + 1 + places
  if (kept >= significantDigits) return value
  if (kept < 0) return 0
  const isUp = digits.charCodeAt(kept) >= 53
  const whole = BigInt(digits.slice(0, kept) || '0') + (isUp ? 1n : 0n)
  const rounded = Number(`${whole}e${-places}`)
  return value < 0 ? 0 - rounded : rounded
}
