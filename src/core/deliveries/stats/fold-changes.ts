import { sql, type Transaction } from 'kysely'
import type { Log } from '../../../kit/log.ts'
import { Periodic } from '../../../kit/periodic.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { addCounted, type DeliveryTables } from '../../delivery/index.ts'

/** Readers add the changes that are not folded yet, so the interval bounds their number. */
const intervalMs = 5_000
/** It blocks SQLite's single writer for some ten milliseconds. */
const changesPerBatch = 2_000

/** Adds the changes that triggers have appended to the counts, in the background. A run adds all changes that exist then. */
export function createCountFolding(storage: Storage, log: Log): Periodic {
  return new Periodic({
    async task(signal) {
      while (!signal.aborted && (await hasChanges(storage)))
        if ((await foldChanges(storage)) < changesPerBatch) return
    },
    intervalMs,
    log,
    events: { failed: 'delivery counts not updated', recovered: 'delivery counts updated again' },
  })
}

async function hasChanges(storage: Storage): Promise<boolean> {
  const changes = storage.tables<DeliveryTables>().selectFrom('delivery_count_changes').select('id')
  return (await changes.limit(1).executeTakeFirst()) !== undefined
}

/** Adds some changes to the counts and removes them, in one transaction. Returns their number. */
function foldChanges(storage: Storage): Promise<number> {
  const fold = storage.changesInWith ? foldAtOnce : foldInSteps
  const work = async (tx: Transaction<DeliveryTables>) => {
    // Two processes that update the same counts would deadlock.
    await storage.lock(tx, 'delivery counts')
    const count = await fold(tx)
    await tx.deleteFrom('delivery_counts').where('count', '=', sql.lit(0)).execute()
    return count
  }
  // What a power failure undoes is undone as a whole: the changes are still there.
  return storage.transaction(work, { isFlushDeferred: true })
}

/** While no other transaction writes, so that each step sees the same changes. */
async function foldInSteps(tx: Transaction<DeliveryTables>): Promise<number> {
  const folded = oldestChanges(tx).selectAll()
  const ids = (await oldestChanges(tx).select('id').execute()).map(({ id }) => id)
  await sql`with folded as ${folded}, ${counted} ${addCounted}`.execute(tx)
  const removal = tx.deleteFrom('delivery_count_changes').where('id', '<=', ids.at(-1) ?? 0)
  await removal.execute()
  return ids.length
}

/** In one statement: a second one would see changes that were committed in between. */
async function foldAtOnce(tx: Transaction<DeliveryTables>): Promise<number> {
  const { rows } = await sql<{ count: number }>`with
    folded as (delete from delivery_count_changes where id in ${oldestChanges(tx).select('id')} returning *),
    ${counted}, added as (${addCounted})
    select count(*) as count from folded`.execute(tx)
  return rows[0]?.count ?? 0
}

function oldestChanges(tx: Transaction<DeliveryTables>) {
  return tx.selectFrom('delivery_count_changes').orderBy('id').limit(changesPerBatch)
}

/** Each counts for all brands together, and for its own. */
const counted = sql`counted as (
    select started_at, transport_id, source, outcome, 0 as brand_id, change from folded
    union all select started_at, transport_id, source, outcome, brand_id, change from folded
      where brand_id <> 0)`
