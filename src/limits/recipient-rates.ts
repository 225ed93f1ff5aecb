import type { Storage } from '../storage/index.ts'
import { readTransports } from './rules.ts'
import type { LimitRow } from './table.ts'
import type { RecipientRates } from './usage/present-usage.ts'

/** Counts the attempted recipients of transports, by their ids. `range` is whole minutes or whole hours. */
export type CountRecipients = (
  range: { from: number; to: number },
  transportIds: readonly number[],
) => Promise<ReadonlyMap<number, number>>

export const noRates: RecipientRates = { ofHour: 0, ofDay: 0 }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Finds the present rates of those of some limits that are published, by their ids. */
export async function findRates(
  storage: Storage,
  countRecipients: CountRecipients,
  rows: readonly LimitRow[],
): Promise<Map<number, RecipientRates>> {
  const published = rows.filter((row) => row.is_published)
  const ids = [...new Set(published.flatMap(readTransports))]
  if (ids.length === 0) return new Map()
  const now = await storage.now()
  const ratesSince = async (stepMs: number, spanMs: number) => {
    const from = Math.floor((now - spanMs) / stepMs) * stepMs
    const counts = await countRecipients({ from, to: Math.ceil((now + 1) / stepMs) * stepMs }, ids)
    return (transports: readonly number[]) =>
      transports.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0) / (now - from)
  }
  const ofHour = await ratesSince(minuteMs, hourMs)
  const ofDay = await ratesSince(hourMs, dayMs)
  return new Map(
    published.map((row) => {
      const transports = readTransports(row)
      return [row.id, { ofHour: ofHour(transports), ofDay: ofDay(transports) }]
    }),
  )
}
