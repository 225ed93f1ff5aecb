import type { Meter } from '../values/meter.ts'
import { round } from './round.ts'

/** How a number is laid out. */
export interface NumberStyle {
  readonly decimals: number
  readonly point: string
  readonly separator: string
}

/** PHP's `number_format`: rounded to `decimals` digits, the whole part in groups of three. */
export function numberFormat(value: number, style: NumberStyle, meter: Meter): string {
  if (!Number.isFinite(value)) return String(value).toLowerCase().replace('infinity', 'inf')
  const places = Math.max(0, Math.trunc(style.decimals))
  meter.allocateText(places + 400 + 130 * style.separator.length)
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

/** The digits with a point before the last `places` of them. */
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
