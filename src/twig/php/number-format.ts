import type { Meter } from '../values/meter.ts'
import { round } from './round.ts'

/** PHP's `number_format`: rounded to `decimals` digits, the whole part in groups of three. */
export function numberFormat(
  value: number,
  style: { decimals: number; point: string; separator: string },
  meter: Meter,
): string {
  const { decimals, point, separator } = style
  if (!Number.isFinite(value)) return String(value).toLowerCase().replace('infinity', 'inf')
  const places = Math.max(0, Math.trunc(decimals))
  meter.allocateText(places + 400 + 130 * separator.length)
  const rounded = round(value, Math.trunc(decimals))
  const { whole, fraction } = decimalDigits(Math.abs(rounded), places)
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, () => separator)
  const sign = rounded < 0 ? '-' : ''
  return sign + grouped + (places > 0 ? point + fraction : '')
}

function decimalDigits(value: number, places: number): { whole: string; fraction: string } {
  if (value >= 1e21) return { whole: BigInt(value).toString(), fraction: '0'.repeat(places) }
  const [whole = '0', fraction = ''] = value.toFixed(Math.min(places, 100)).split('.')
  return { whole, fraction: fraction.padEnd(places, '0') }
}
