/** Doubles hold 15 significant digits; what lies behind them is noise. */
const significantDigits = 15

/**
 * PHP's `round`: halves away from zero, counted in decimal digits, so that 1.005 rounds to 1.01. A
 * negative `places` rounds before the point.
 */
export function round(value: number, places: number): number {
  if (!Number.isFinite(value) || value === 0) return value
  const [mantissa = '', power = '0'] = Math.abs(value)
    .toExponential(significantDigits - 1)
    .split('e')
  const digits = mantissa.replace('.', '')
  // How many of the digits stay.
  const kept = Number(power) + 1 + Math.trunc(places)
  if (kept >= significantDigits) return value
  if (kept < 0) return 0
  const isUp = digits.charCodeAt(kept) >= 53
  const whole = BigInt(digits.slice(0, kept) || '0') + (isUp ? 1n : 0n)
  const rounded = Number(`${whole}e${-Math.trunc(places)}`)
  return value < 0 ? 0 - rounded : rounded
}
