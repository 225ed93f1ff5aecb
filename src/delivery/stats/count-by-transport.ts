import { sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { defaultTransport } from '../table.ts'
import { hourMs } from './table.ts'

/** How many recipients were attempted through a stored transport, by result. */
export interface TransportCounts {
  transportId: number
  accepted: number
  refused: number
  uncertain: number
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
  const isWanted = sql`outcome in ('accepted', 'refused', 'uncertain') and started_at >= ${from}
    and started_at < ${to} and transport_id > ${sql.lit(defaultTransport)}`
  const { rows } = await sql<{ id: number; outcome: string; count: number | string }>`
    select transport_id as id, outcome, sum(count) as count from (
      select transport_id, outcome, count from delivery_counts
      where span_ms = ${sql.lit(hourMs)} and ${isWanted}
      union all
      select transport_id, outcome, change as count from delivery_count_changes where ${isWanted}
    ) as counted group by 1, 2 order by 1`.execute(storage.tables<unknown>())
  const counts = new Map<number, TransportCounts>()
  for (const { id, outcome, count } of rows) {
    const transportId = Number(id)
    const known = counts.get(transportId)
    const counted = known ?? { transportId, accepted: 0, refused: 0, uncertain: 0 }
    if (outcome === 'accepted') counted.accepted = Number(count)
    else if (outcome === 'refused') counted.refused = Number(count)
    else counted.uncertain = Number(count)
    if (known === undefined) counts.set(transportId, counted)
  }
  return [...counts.values()]
}
