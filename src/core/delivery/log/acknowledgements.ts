import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { withOutcomes } from './delivery-keys.ts'
import { createGroupCommit } from './group-commit.ts'
import { openRetriedWrites } from './retried-writes.ts'

/** How long `close` waits for a database that does not answer. */
const closeWaitMs = 2_000
const keysPerQuery = 500
/** The most acknowledgements in memory while the database is lost. */
const waitingMax = 10_000

interface Acknowledged {
  messageKeys: readonly string[]
  at: number
}

/**
 * Records which accepted messages without a Message-ID were acknowledged: their 250 was written to the connection.
 * The same bytes submitted again count as a retry for five minutes after that, and then as a new message, such as a
 * repeated alert. Without an acknowledgement they count as a retry for a day.
 */
export function openAcknowledgements(storage: Storage, { clock, log }: { clock: Clock; log: Log }) {
  const write = createGroupCommit(storage).batched(
    writeAcknowledged,
    ({ messageKeys }: Acknowledged) => messageKeys.length,
  )
  const writes = openRetriedWrites(log, {
    failed: 'acknowledgements not written',
    recovered: 'acknowledgements written again',
  })
  return {
    /** Records in the background that these messages were answered 250. It does not throw. */
    markAcknowledged(messageKeys: readonly string[]) {
      // Without its acknowledgement, a message counts as a retry for longer.
      if (writes.size >= waitingMax) return
      const acknowledged = { messageKeys, at: clock.now() }
      writes
        .run(() => write(acknowledged), messageKeys.length)
        .catch((err: unknown) => log.error({ err }, 'acknowledgement not stored'))
    },
    /** Resolves when everything is written: whether something was. */
    idle: () => writes.idle(),
    /** Waits until everything is written; for at most two seconds if the database is lost. */
    async close() {
      await writes.drain(closeWaitMs)
      writes.close()
    },
  }
}

async function writeAcknowledged(
  tx: Transaction<DeliveryTables>,
  all: readonly Acknowledged[],
): Promise<undefined[]> {
  for (const each of all) await acknowledge(tx, each)
  return all.map(() => undefined)
}

/** A repeated acknowledgement does not extend the time: otherwise an alert each minute would never be sent again. */
export async function acknowledge(
  tx: Transaction<DeliveryTables>,
  { messageKeys, at }: Acknowledged,
): Promise<void> {
  const update = tx.updateTable('delivery_keys').set({ acknowledged_at: at })
  const unacknowledged = update.where('acknowledged_at', 'is', null)
  await unacknowledged.where('key', 'in', messageKeys).execute()
}

/**
 * Marks the messages as acknowledged that crashed processes accepted without recording it. The record may have been lost in
 * the crash, and sending a message twice does less harm than losing one.
 */
export async function acknowledgeForCrashed(
  db: Kysely<DeliveryTables>,
  { processIds, now }: { processIds: readonly string[]; now: number },
): Promise<void> {
  const unacknowledged = await db
    .selectFrom('delivery_keys')
    .select(['key', 'delivery_id', 'started_at'])
    .where('kind', '=', 'content')
    .where('acknowledged_at', 'is', null)
    .execute()
  for (let from = 0; from < unacknowledged.length; from += keysPerQuery) {
    const some = await withOutcomes(db, unacknowledged.slice(from, from + keysPerQuery))
    const lost = some.filter(
      (row) => row.outcome === 'accepted' && processIds.includes(row.process_id ?? ''),
    )
    if (lost.length === 0) continue
    const names = lost.map(({ key }) => key)
    const update = db.updateTable('delivery_keys').set({ acknowledged_at: now })
    await update.where('key', 'in', names).execute()
  }
}
