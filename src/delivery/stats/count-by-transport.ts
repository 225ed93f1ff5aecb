import { type RawBuilder, sql } from 'kysely'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import { defaultTransport } from '../table.ts'
import { findTransports, spansPerQuery } from './read-counts.ts'
import { everyTransport, hourMs, minuteMs } from './table.ts'

/** The outcomes of attempts through a transport. */
export const attemptOutcomes = ['accepted', 'deferred', 'refused', 'uncertain'] as const

/** How many recipients were attempted through a transport, by outcome. */
export interface TransportCounts extends Record<(typeof attemptOutcomes)[number], number> {
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
 * @param transportIds the transports to count; default: the first 1,000 with attempts in this time
 */
export async function countByTransport(
  storage: Storage,
  asked: Range,
  transportIds?: readonly number[],
): Promise<TransportCounts[]> {
  const outcomes = attemptOutcomes
  const range = await countedPart(storage, asked)
  const ids =
    transportIds ?? (await findTransports(storage, { range, outcomes, limit: transportsMax }))
  const countedIds = ids.filter((id) => id >= defaultTransport)
  const counts: TransportCounts[] = []
  for (let start = 0; start < countedIds.length; start += transportsPerQuery) {
    if (start > 0) await pause()
    counts.push(
      ...(await countSome(storage, range, countedIds.slice(start, start + transportsPerQuery))),
    )
  }
  return counts
}

/** The hours of a range from the first to the last one with a delivery: years without any are not read. */
async function countedPart(storage: Storage, { from, to }: Range): Promise<Range> {
  const ofHours = sql`from delivery_counts
    where transport_id = ${sql.lit(everyTransport)} and span_ms = ${sql.lit(hourMs)}`
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
  ids: readonly number[],
): Promise<TransportCounts[]> {
  const spanMs = spanOf(range)
  const sliceMs = Math.max(1, Math.floor(spansPerQuery / ids.length)) * spanMs
  const counts = new Map<number, TransportCounts>()
  for (let from = range.from; from < range.to; from += sliceMs) {
    if (from > range.from) await pause()
    const slice = { from, to: Math.min(from + sliceMs, range.to) }
    const { rows } = await sql<Record<keyof TransportCounts, number | string>>`
      select transport_id as "transportId", sum(count) as attempted, ${sumsOf(attemptOutcomes)}
      from (${countRows(spanMs, slice, ids)}) as counted group by 1`.execute(
      storage.tables<unknown>(),
    )
    for (const row of rows) addCounts(counts, row)
  }
  return [...counts.values()].sort((one, other) => one.transportId - other.transportId)
}

function addCounts(
  counts: Map<number, TransportCounts>,
  row: Record<keyof TransportCounts, number | string>,
): void {
  const transportId = Number(row.transportId)
  const sum = counts.get(transportId)
  counts.set(transportId, {
    transportId,
    attempted: (sum?.attempted ?? 0) + Number(row.attempted),
    accepted: (sum?.accepted ?? 0) + Number(row.accepted),
    deferred: (sum?.deferred ?? 0) + Number(row.deferred),
    refused: (sum?.refused ?? 0) + Number(row.refused),
    uncertain: (sum?.uncertain ?? 0) + Number(row.uncertain),
  })
}

function sumsOf(outcomes: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    outcomes.map(
      (outcome) =>
        sql`sum(case when outcome = ${sql.lit(outcome)} then count else 0 end) as ${sql.ref(outcome)}`,
    ),
  )
}

/** The longest span that divides a range: it has the fewest sums. */
function spanOf({ from, to }: Range): number {
  return from % hourMs === 0 && to % hourMs === 0 ? hourMs : minuteMs
}

/** The sums of a slice, and the changes that are not folded yet. */
function countRows(
  spanMs: number,
  { from, to }: Range,
  ids: readonly number[],
): RawBuilder<unknown> {
  const isCounted = sql`transport_id in (${sql.join(ids)}) and started_at >= ${from}
    and started_at < ${to} and outcome in (${sql.join(attemptOutcomes)})`
  return sql`select transport_id, outcome, count from delivery_counts
    where span_ms = ${sql.lit(spanMs)} and ${isCounted}
    union all
    select transport_id, outcome, change as count from delivery_count_changes where ${isCounted}`
}
