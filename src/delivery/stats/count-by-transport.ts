import { sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { countedOutcomes } from '../outcomes.ts'
import { defaultTransport } from '../table.ts'
import { hourMs } from './table.ts'

/** How many recipients were attempted through a stored transport. */
export interface TransportCounts {
  transportId: number
  attempts: number
  /** Those that have the message, or may have it. */
  taken: number
}

/**
 * Counts the attempts of each stored transport. The configured default and deliveries without a transport are left out.
 *
 * @param range whole hours; `to` is exclusive
 */
export async function countByTransport(
  storage: Storage,
  { from, to }: { from: number; to: number },
): Promise<TransportCounts[]> {
  const isWanted = sql`outcome in (${sql.join(countedOutcomes)}) and started_at >= ${from}
    and started_at < ${to} and transport_id > ${sql.lit(defaultTransport)}`
  const { rows } = await sql<Record<keyof TransportCounts, number | string>>`
    select transport_id as "transportId", sum(count) as attempts,
      sum(case when outcome in ('accepted', 'uncertain') then count else 0 end) as taken
    from (
      select transport_id, outcome, count from delivery_counts
      where span_ms = ${sql.lit(hourMs)} and ${isWanted}
      union all
      select transport_id, outcome, change as count from delivery_count_changes where ${isWanted}
    ) as counted group by 1 order by 1`.execute(storage.tables<unknown>())
  return rows.map(({ transportId, attempts, taken }) => ({
    transportId: Number(transportId),
    attempts: Number(attempts),
    taken: Number(taken),
  }))
}
