import { sql } from 'kysely'
import type { Storage } from '../../platform/storage/index.ts'

/** Among how many of the newest queued messages the last one of a Mautic is looked for. */
const newestMax = 1_000

/** When the last delivery of a Mautic started. SQLite reads a partial index only where its condition is repeated. */
export const lastDelivery = (mauticId: number) =>
  sql<{ at: number | string }>`select started_at as at from deliveries
    where mautic_id = ${sql.lit(mauticId)} and mautic_id <> 0
    order by started_at desc, id desc limit 1`

/**
 * Returns when the last message of each Mautic came, by the id of the Mautic: its last delivery, or a message that is still
 * queued. In milliseconds since the epoch; a Mautic without a message is left out.
 */
export async function findLastMessages(
  storage: Storage,
  mauticIds: readonly number[],
): Promise<Map<number, number>> {
  const last = new Map<number, number>()
  if (mauticIds.length === 0) return last
  const db = storage.tables<unknown>()
  for (const id of mauticIds) {
    const { rows } = await lastDelivery(id).execute(db)
    for (const { at } of rows) last.set(id, Number(at))
  }
  const queued = await sql<{ id: number | string; at: number | string }>`
    select mautic_id as id, max(created_at) as at from (
      select mautic_id, created_at from queue_messages order by id desc limit ${sql.lit(newestMax)}
    ) as newest where mautic_id <> 0 group by mautic_id`.execute(db)
  const asked = new Set(mauticIds)
  for (const row of queued.rows) {
    const id = Number(row.id)
    if (asked.has(id)) last.set(id, Math.max(last.get(id) ?? 0, Number(row.at)))
  }
  return last
}
