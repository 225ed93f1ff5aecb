import type { Transaction } from 'kysely'
import type { QueueTables } from '../queue/index.ts'
import type { Storage } from '../storage/index.ts'
import type { BroadcastTables } from './table.ts'

/** One transaction: some ten milliseconds. */
const broadcastsPerBatch = 20

/** Removes some broadcasts that ended before a time; returns them, none when nothing is left. */
export async function removeOldBroadcasts(storage: Storage, before: number): Promise<unknown[]> {
  return storage.transaction(async (tx: Transaction<BroadcastTables & QueueTables>) => {
    const old = await tx
      .selectFrom('broadcasts')
      .select('id')
      .where('state', 'in', ['done', 'cancelled'])
      .where('finished_at', '<', before)
      .orderBy('id')
      .limit(broadcastsPerBatch)
      .forUpdate()
      .execute()
    const ids = old.map(({ id }) => id)
    if (ids.length === 0) return []
    await tx.deleteFrom('queue_recipients').where('broadcast_id', 'in', ids).execute()
    await tx.deleteFrom('queue_messages').where('broadcast_id', 'in', ids).execute()
    // An uncertain recipient may just have been put back into the queue.
    const ended = tx.deleteFrom('broadcasts').where('id', 'in', ids)
    return ended.where('state', 'in', ['done', 'cancelled']).returning('id').execute()
  })
}
