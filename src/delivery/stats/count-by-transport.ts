import { type RawBuilder, sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { defaultTransport } from '../table.ts'
import { findTransports } from './read-counts.ts'
import { hourMs, minuteMs } from './table.ts'

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

/**
 * Counts the attempts of each transport; deliveries without a transport are left out. It reads sums of minutes or hours, so
 * its time does not depend on the number of deliveries.
 *
 * @param range whole minutes; `to` is exclusive
 * @param transportIds the transports to count; default: the first 1,000 with attempts in this time
 */
export async function countByTransport(
  storage: Storage,
  range: { from: number; to: number },
  transportIds?: readonly number[],
): Promise<TransportCounts[]> {
  const outcomes = attemptOutcomes
  const ids =
    transportIds ?? (await findTransports(storage, { range, outcomes, limit: transportsMax }))
  const known = ids.filter((id) => id >= defaultTransport)
  const counts: TransportCounts[] = []
  for (let start = 0; start < known.length; start += transportsPerQuery)
    counts.push(
      ...(await countSome(storage, range, known.slice(start, start + transportsPerQuery))),
    )
  return counts
}

async function countSome(
  storage: Storage,
  range: { from: number; to: number },
  ids: readonly number[],
): Promise<TransportCounts[]> {
  const { rows } = await sql<Record<keyof TransportCounts, number | string>>`
    select transport_id as "transportId", sum(count) as attempted, ${sumsOf(attemptOutcomes)}
    from (${countRows(range, ids)}) as counted group by 1 order by 1`.execute(
    storage.tables<unknown>(),
  )
  return rows.map((row) => ({
    transportId: Number(row.transportId),
    attempted: Number(row.attempted),
    accepted: Number(row.accepted),
    deferred: Number(row.deferred),
    refused: Number(row.refused),
    uncertain: Number(row.uncertain),
  }))
}

function sumsOf(outcomes: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    outcomes.map(
      (outcome) =>
        sql`sum(case when outcome = ${sql.lit(outcome)} then count else 0 end) as ${sql.ref(outcome)}`,
    ),
  )
}

/** The sums of the longest span that divides the range, and the changes that are not folded yet. */
function countRows(
  { from, to }: { from: number; to: number },
  ids: readonly number[],
): RawBuilder<unknown> {
  const spanMs = from % hourMs === 0 && to % hourMs === 0 ? hourMs : minuteMs
  const isCounted = sql`transport_id in (${sql.join(ids)}) and started_at >= ${from}
    and started_at < ${to} and outcome in (${sql.join(attemptOutcomes)})`
  return sql`select transport_id, outcome, count from delivery_counts
    where span_ms = ${sql.lit(spanMs)} and ${isCounted}
    union all
    select transport_id, outcome, change as count from delivery_count_changes where ${isCounted}`
}
