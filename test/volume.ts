/** Whether everything runs, each test in full: `npm run test:all`. */
export const isFull = process.env['MAILYARD_TEST_FULL'] === '1'

/**
 * How often a test repeats itself: `npm test` runs the short form, `npm run test:all` the full one.
 *
 * @example const kills = volume({ short: 2, full: 50 })
 */
export function volume({ short, full }: { short: number; full: number }): number {
  return isFull ? full : short
}
