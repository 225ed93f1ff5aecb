/** A slow start of a new sender: the first day allows `firstDay` recipients, each later day `growthPercent` more. */
export interface WarmUp {
  /** The first day, in UTC: `2026-01-31`. */
  startDate: string
  firstDay: number
  growthPercent: number
}

export interface WarmUpDay {
  /** 1 on the start date. */
  day: number
  /** How many recipients the day allows. */
  allowance: number
}

const dayMs = 86_400_000

/**
 * Returns what a warm-up allows on the day that a time is in (UTC): `firstDay * (1 + growthPercent / 100) ^ (day - 1)`,
 * rounded down, and at most `perDay`. Days before the start allow as many as the first one.
 */
export function warmUpDay(
  { startDate, firstDay, growthPercent }: WarmUp,
  perDay: number | undefined,
  time: number,
): WarmUpDay {
  const day = Math.floor((time - Date.parse(startDate)) / dayMs) + 1
  const grown = firstDay * (1 + growthPercent / 100) ** Math.max(0, day - 1)
  // A product such as 1.1 ** 2 * 100 is a little less than 121.
  const allowance = Math.min(Math.floor(grown + 1e-6), perDay ?? Number.MAX_SAFE_INTEGER)
  return { day: Math.max(0, day), allowance }
}
