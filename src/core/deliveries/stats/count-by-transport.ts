import { sql } from 'kysely'
import { pause } from '../../../kit/pause.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import {
  type AttemptOutcome,
  attemptOutcomes,
  defaultTransport,
  everyTransport,
  hourMs,
  minuteMs,
} from '../../delivery/index.ts'
import { type CountFilter, findTransports, sumCounts } from './read-counts.ts'

/** How many recipients were attempted through a transport, by outcome. */
export interface TransportCounts extends Record<AttemptOutcome, number> {
  /** `defaultTransport` for the configured one. */
  transportId: number
  attempted: number
}

/** The most transports that are counted. */
const transportsMax = 1_000
const transportsPerQuery = 500

interface Range {
  from: number
  /** Exclusive. */
  to: number
}

/**
 * Counts the attempts of each transport; deliveries without a transport are left out. It reads sums of minutes or hours in
 * bounded steps, so its time does not depend on the number of deliveries. A range of whole hours has the fewest sums.
 *
 * @param asked whole minutes; `to` is exclusive
 * @param only the transports to count; default: the first 1,000 with attempts in this time. The brands; default: all deliveries
 */
export async function countByTransport(
  storage: Storage,
  asked: Range,
  only: Partial<Pick<CountFilter, 'transportIds' | 'brands'>> = {},
): Promise<TransportCounts[]> {
  const outcomes = attemptOutcomes
  const range = await countedPart(storage, asked)
  const { brands, transportIds } = only
  const ids =
    transportIds ??
    (await findTransports(storage, { range, outcomes, brands, limit: transportsMax }))
  const countedIds = ids.filter((id) => id >= defaultTransport)
  const counts: TransportCounts[] = []
  for (let start = 0; start < countedIds.length; start += transportsPerQuery) {
    if (start > 0) await pause()
    const some = countedIds.slice(start, start + transportsPerQuery)
    const filter = { transportIds: some, brands, outcomes }
    counts.push(...(await countSome(storage, range, filter)))
  }
  return counts
}

/** The hours of a range from the first to the last one with a delivery: years without any are not read. */
async function countedPart(storage: Storage, { from, to }: Range): Promise<Range> {
  const ofHours = sql`from delivery_counts
    where transport_id = ${sql.lit(everyTransport)} and brand_id = 0 and span_ms = ${sql.lit(hourMs)}`
  const { rows } = await sql<Record<'first' | 'last', number | string | null>>`
    select min(started_at) as first, max(started_at) as last from (
      select (select min(started_at) ${ofHours}) as started_at
      union all select (select max(started_at) ${ofHours})
      union all select started_at from delivery_count_changes
    ) as counted`.execute(storage.tables<unknown>())
  const hourOf = (at: number) => at - (at % hourMs)
  const first = hourOf(Number(rows[0]?.first ?? 0))
  const last = hourOf(Number(rows[0]?.last ?? 0))
  return { from: Math.max(from, first), to: Math.min(to, last + hourMs) }
}

/** Counts some transports, in slices of the range. */
async function countSome(
  storage: Storage,
  range: Range,
  filter: CountFilter,
): Promise<TransportCounts[]> {
  // The longest span that divides the range has the fewest sums.
  const stepMs = range.from % hourMs === 0 && range.to % hourMs === 0 ? hourMs : minuteMs
  const columns = sql`transport_id as "transportId", outcome`
  const counts = new Map<number, TransportCounts>()
  const all = sumCounts<OutcomeCount>(storage, columns, { range: { ...range, stepMs }, filter })
  for await (const rows of all)
    for (const { transportId, outcome, count } of rows) {
      const sum = counts.get(transportId) ?? { ...noAttempts, transportId }
      const attempted = sum.attempted + count
      counts.set(transportId, { ...sum, attempted, [outcome]: sum[outcome] + count })
    }
  return [...counts.values()].sort((one, other) => one.transportId - other.transportId)
}

interface OutcomeCount {
  transportId: number
  outcome: AttemptOutcome
  count: number
}

const noAttempts = { attempted: 0, accepted: 0, deferred: 0, refused: 0, uncertain: 0 }
