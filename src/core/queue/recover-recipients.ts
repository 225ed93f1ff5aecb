import type { Transaction } from 'kysely'
import type { Storage } from '../../platform/storage/index.ts'
import type { SettledOutcome } from '../deliveries/index.ts'
import type { DeliveryRow, DeliveryTables } from '../delivery/index.ts'
import { findOutcomes } from '../delivery/index.ts'
import { removeRecipients } from './queue-store.ts'
import type { QueueTables } from './table.ts'

type Tables = QueueTables & DeliveryTables

/** The recipients that were recovered, by what follows for them. */
export interface RecoveredRecipients {
  requeued: number
  uncertain: number
  done: number
}

interface RecoverParts {
  storage: Storage
  now: number
}

/**
 * Recovers the queued recipients that expired processes had claimed. The delivery log knows which of them were
 * attempted: their outcome counts, and is uncertain if it is not known. The others go back to the queue.
 */
export async function recoverQueued(
  transaction: Transaction<DeliveryTables>,
  { storage, processIds, now }: RecoverParts & { processIds: readonly string[] },
): Promise<RecoveredRecipients> {
  const tx = transaction.withTables<Tables>()
  const rows = await tx
    .selectFrom('queue_recipients')
    .select(['id', 'message_key'])
    .where('claimed_by', 'in', processIds)
    .execute()
  const outcomes = await findOutcomes(
    transaction,
    rows.map((row) => row.message_key),
  )
  const withOutcome = (outcome: DeliveryRow['outcome']) =>
    idsOf(rows.filter((row) => outcomes.get(row.message_key)?.outcome === outcome))
  const [done, uncertain] = [withOutcome('accepted'), withOutcome('uncertain')]
  const isKnown = new Set([...done, ...uncertain])
  const others = idsOf(rows).filter((id) => !isKnown.has(id))
  // Only what is still claimed by them: one of them may go on, and settle a recipient itself.
  const { removed } = await removeRecipients(tx, storage, { ids: done })
  const change = (ids: readonly number[]) =>
    tx
      .updateTable('queue_recipients')
      .where(storage.isAmong('id', ids))
      .where('claimed_by', 'in', processIds)
      .returning('id')
  const lost = await change(uncertain).set({ state: 'uncertain', claimed_by: null }).execute()
  const requeued = await change(others)
    .set({ state: 'queued', due_at: now, claimed_by: null })
    .execute()
  return { requeued: requeued.length, uncertain: lost.length, done: removed.length }
}

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

/**
 * Updates the queued recipient that waits for an uncertain delivery which an operator has settled: an accepted one is
 * done, a refused one is sent again. It may wait for another submission of the same bulk email.
 */
export async function settleQueued(
  transaction: Transaction<DeliveryTables>,
  {
    storage,
    now,
    keys,
    outcome,
  }: RecoverParts & { keys: readonly string[]; outcome: SettledOutcome },
): Promise<void> {
  if (keys.length === 0) return
  const tx = transaction.withTables<Tables>()
  const row = await tx
    .selectFrom('queue_recipients')
    .select('id')
    .where((where) => where.or([where('message_key', 'in', keys), where('bulk_key', 'in', keys)]))
    .where('state', '=', 'uncertain')
    .executeTakeFirst()
  if (row === undefined) return
  if (outcome === 'accepted') await removeRecipients(tx, storage, { ids: [row.id] })
  else
    await tx
      .updateTable('queue_recipients')
      .set({ state: 'queued', due_at: now })
      .where('id', '=', row.id)
      .where('state', '=', 'uncertain')
      .execute()
}
