import type { Transaction } from 'kysely'
import type { DatabaseFeatures } from '../../storage/index.ts'
import type { SettledOutcome } from '../deliveries/settle-delivery.ts'
import { findOutcomes } from '../log/delivery-keys.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import { removeRecipients } from './queue-store.ts'
import type { QueueTables } from './table.ts'

type Tables = QueueTables & DeliveryTables

/** The recipients that were recovered, by what became of them. */
export interface RecoveredRecipients {
  requeued: number
  uncertain: number
  done: number
}

/**
 * Recovers the queued recipients that expired processes had claimed. The delivery log knows which of them were
 * attempted: their outcome counts, and is uncertain if it is not known. The others go back to the queue.
 */
export async function recoverQueued(
  transaction: Transaction<DeliveryTables>,
  storage: DatabaseFeatures,
  { processIds, now }: { processIds: readonly string[]; now: number },
): Promise<RecoveredRecipients> {
  const tx = transaction.withTables<Tables>()
  const rows = await tx
    .selectFrom('queue_recipients')
    .select(['id', 'message_key'])
    .where('claimed_by', 'in', processIds)
    .execute()
  const keys = rows.map((row) => row.message_key)
  const outcomes = await findOutcomes(transaction, keys)
  const idsOf = (outcome: DeliveryRow['outcome']) =>
    rows.filter((row) => outcomes.get(row.message_key)?.outcome === outcome).map(({ id }) => id)
  const [done, uncertain] = [idsOf('accepted'), idsOf('uncertain')]
  const isKnown = new Set([...done, ...uncertain])
  const others = rows.map(({ id }) => id).filter((id) => !isKnown.has(id))
  await removeRecipients(tx, storage, { ids: done })
  const changes = [
    { ids: uncertain, change: { state: 'uncertain' as const } },
    { ids: others, change: { state: 'queued' as const, due_at: now } },
  ]
  for (const { ids, change } of changes) {
    if (ids.length === 0) continue
    const update = tx.updateTable('queue_recipients').set({ ...change, claimed_by: null })
    await update.where('id', 'in', ids).execute()
  }
  return { requeued: others.length, uncertain: uncertain.length, done: done.length }
}

/**
 * Updates the queued recipient that waits for an uncertain delivery which an operator has settled: an accepted one is
 * done, a deferred one is sent again. It may wait for another submission of the same bulk email.
 */
export async function settleQueued(
  transaction: Transaction<DeliveryTables>,
  storage: DatabaseFeatures,
  settled: { keys: readonly string[]; outcome: SettledOutcome; now: number },
): Promise<void> {
  const { keys, outcome, now } = settled
  if (keys.length === 0) return
  const tx = transaction.withTables<Tables>()
  const query = tx.selectFrom('queue_recipients').select('id')
  const found = query
    .where((where) => where.or([where('message_key', 'in', keys), where('bulk_key', 'in', keys)]))
    .where('state', '=', 'uncertain')
  const row = await found.executeTakeFirst()
  if (row === undefined) return
  if (outcome === 'accepted') await removeRecipients(tx, storage, { ids: [row.id] })
  else
    await tx
      .updateTable('queue_recipients')
      .set({ state: 'queued', due_at: now })
      .where('id', '=', row.id)
      .execute()
}
