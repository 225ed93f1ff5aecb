/** Doubles hold 15 significant digits; what lies behind them is noise. */
const significantDigits = 15
/** Powers of ten that doubles hold exactly. */
const powers = Array.from({ length: 16 }, (_, power) => 10 ** power)

/**
 * PHP's `round`: halves away from zero, counted in decimal digits, so that 1.005 rounds to 1.01. A
 * negative `places` rounds before the point.
 */
export function round(value: number, places: number): number {
  const factor = powers[places]
  if (factor !== undefined) {
    const scaled = value * factor
    const nearest = Math.round(scaled)
    // Far from a half, and short enough to be exact: what the digits would give.
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
  // How many of the digits stay.
  const kept = Number(power) + 1 + places
  if (kept >= significantDigits) return value
  if (kept < 0) return 0
  const isUp = digits.charCodeAt(kept) >= 53
  const whole = BigInt(digits.slice(0, kept) || '0') + (isUp ? 1n : 0n)
  const rounded = Number(`${whole}e${-places}`)
  return value < 0 ? 0 - rounded : rounded
}
