import { type QueryExecutorProvider, sql } from 'kysely'
import { type BroadcastEvent, deliveryEvents } from '../delivery/index.ts'

/** Changes what broadcasts show of the events of providers, in the transaction that stores these. */
export async function countEvents(
  tx: QueryExecutorProvider,
  events: readonly BroadcastEvent[],
): Promise<void> {
  const byBroadcast = Map.groupBy(events, ({ broadcastId }) => broadcastId)
  // In the order of ids, so that two transactions cannot deadlock.
  for (const [id, ofOne] of [...byBroadcast].sort(([one], [other]) => one - other)) {
    const byCounter = Map.groupBy(ofOne, ({ type }) => deliveryEvents[type].counter)
    byCounter.delete(undefined)
    if (byCounter.size === 0) continue
    const changes = [...byCounter].map(
      ([counter = '', counted]) =>
        sql`${sql.ref(counter)} = ${sql.ref(counter)} + ${counted.length}`,
    )
    await sql`update broadcasts set ${sql.join(changes)} where id = ${id}`.execute(tx)
  }
}
