/**
 * How often a test repeats itself: `npm test` runs the short form, `npm run test:soak` the full one.
 *
 * @example const kills = volume({ short: 2, full: 50 })
 */
export function volume({ short, full }: { short: number; full: number }): number {
  return process.env['MAILYARD_TEST_SOAK'] === '1' ? full : short
}
