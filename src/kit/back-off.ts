/** How long to wait after failures in a row. */
export interface BackOff {
  /** After the first failure; it doubles with each further one. */
  firstMs: number
  longestMs: number
  /** By which part of it a wait is shorter or longer, so that many waits do not end together. Default: 0.2. */
  jitter?: number
}

/**
 * Returns how long to wait before the next try.
 *
 * @param failures How many failures there were before the last one.
 * @param random From 0 to 1, exclusive.
 */
export function backOffMs(
  { firstMs, longestMs, jitter = 0.2 }: BackOff,
  failures: number,
  random = Math.random(),
): number {
  const waitMs = Math.min(firstMs * 2 ** Math.min(failures, 30), longestMs)
  return Math.round(waitMs * (1 - jitter + 2 * jitter * random))
}
