import type { Storage } from '../storage/index.ts'
import { type Limit, listPublished, toLimit } from './rules.ts'

/** How many recipients a published limit allows on one day (UTC), all its windows considered. */
export interface DayAllowance {
  id: number
  name: string
  transports: readonly number[]
  /** Infinite where only connections are limited. */
  recipients: number
}

const perDay = { second: 86_400, minute: 1_440, hour: 24, day: 1, month: 1 }

/** Lists what each published limit allows on the day that begins at `dayStart`. */
export async function listDayAllowances(
  storage: Storage,
  dayStart: number,
): Promise<DayAllowance[]> {
  const rows = await listPublished(storage)
  return rows.map(toLimit).map((limit) => ({
    id: limit.id,
    name: limit.name,
    transports: limit.transports,
    recipients: allowanceOf(limit, dayStart),
  }))
}

function allowanceOf({ rules: { perSecond, windows } }: Limit, dayStart: number): number {
  const ofWindows = windows.map(({ window, max }) => max(dayStart) * perDay[window])
  return Math.min(...ofWindows, (perSecond ?? Number.POSITIVE_INFINITY) * perDay.second)
}
