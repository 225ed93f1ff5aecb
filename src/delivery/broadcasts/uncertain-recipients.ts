import { sql, type Transaction } from 'kysely'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { emptyDelivery } from '../log/delivery-row.ts'
import { expiredReason } from '../log/processes.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import { type CountChange, changeCounts, noChange } from './counts.ts'
import type { AddRecipientsTables } from './prepare.ts'
import {
  type BroadcastRow,
  type BroadcastTables,
  type RecipientStatus,
  readAttempt,
} from './table.ts'

type Tables = AddRecipientsTables & DeliveryTables

/**
 * Recovers the recipients of expired processes. Claimed recipients go back to the queue. Messages that were being sent may
 * have arrived, so their recipients become uncertain and their deliveries are listed. Returns the number of each.
 */
export async function recoverRecipients(
  transaction: Transaction<DeliveryTables>,
  processIds: readonly string[],
  now: number,
): Promise<{ requeued: number; uncertain: number }> {
  const tx = transaction.withTables<Tables>()
  const expired = sql.join(processIds)
  const { rows: claimed } = await sql<{ broadcast_id: number }>`update broadcast_recipients
    set status = 'queued', claimed_by = null
    where claimed_by in (${expired}) and status = 'claimed' returning broadcast_id`.execute(tx)
  const { rows: interrupted } = await sql<InterruptedRecipient>`update broadcast_recipients
    set status = 'uncertain', attempts = attempts + 1, tried_at = coalesce(tried_at, ${now})
    where claimed_by in (${expired}) and status = 'attempting'
    returning broadcast_id, contact_id, email_id, claimed_by, attempt`.execute(tx)
  for (const recipient of interrupted) await recordInterrupted(tx, recipient, now)
  const changes = new Map<number, CountChange>()
  const of = (id: number) => {
    const change = changes.get(id) ?? { ...noChange, dueAt: undefined }
    changes.set(id, change)
    return change
  }
  for (const { broadcast_id: id } of claimed) of(id).dueAt = now
  for (const { broadcast_id: id } of interrupted) of(id).uncertain += 1
  await changeCounts(tx.withTables<AddRecipientsTables>(), changes, now)
  return { requeued: claimed.length, uncertain: interrupted.length }
}

/** A recipient whose process expired while it sent the message. */
interface InterruptedRecipient {
  broadcast_id: number
  contact_id: number
  email_id: number
  claimed_by: string
  /** See `readAttempt`. */
  attempt: string | null
}

async function recordInterrupted(
  tx: Transaction<Tables>,
  recipient: InterruptedRecipient,
  now: number,
): Promise<void> {
  const { broadcast_id: broadcastId, contact_id: contactId, email_id: emailId } = recipient
  const query = tx.selectFrom('broadcasts').select('caller').where('id', '=', broadcastId)
  const caller = (await query.executeTakeFirst())?.caller ?? ''
  const attempt = readAttempt(recipient.attempt, now)
  const { started_at: startedAt } = attempt
  await tx
    .insertInto('deliveries')
    .values({
      ...emptyDelivery({ source: 'broadcast', caller, startedAt, processId: recipient.claimed_by }),
      ...attempt,
      email_id: emailId,
      contact_id: contactId,
      broadcast_id: broadcastId,
      recipient_key: emailKey(attempt.recipient),
      outcome: 'uncertain',
      reason: expiredReason,
    })
    .execute()
}

/** Removes the uncertain delivery that another process has listed for a recipient whose outcome is known after all. */
export async function removeUncertainDelivery(
  transaction: Transaction<DeliveryTables>,
  { broadcastId, contactId }: { broadcastId: number; contactId: number },
): Promise<void> {
  await transaction
    .deleteFrom('deliveries')
    .where('broadcast_id', '=', broadcastId)
    .where('contact_id', '=', contactId)
    .where('outcome', '=', 'uncertain')
    .where('reason', '=', expiredReason)
    .execute()
}

/**
 * Updates the recipient of a broadcast after an operator has settled its uncertain delivery. An accepted one is done. A
 * refused one goes back to the queue as a new recipient, and a broadcast that was done runs again; in a cancelled broadcast
 * it stays refused. Does nothing if the recipient is not uncertain.
 */
export async function settleRecipient(
  transaction: Transaction<DeliveryTables>,
  delivery: Pick<DeliveryRow, 'email_id' | 'contact_id' | 'broadcast_id'>,
  { outcome, now }: { outcome: 'accepted' | 'refused'; now: number },
): Promise<void> {
  const tx = transaction.withTables<BroadcastTables>()
  const { email_id: emailId, contact_id: contactId, broadcast_id: broadcastId } = delivery
  if (emailId === null || contactId === null || broadcastId === null) return
  const broadcast = await tx
    .selectFrom('broadcasts')
    .select(['id', 'status'])
    .where('id', '=', broadcastId)
    .forUpdate()
    .executeTakeFirst()
  if (broadcast === undefined) return
  const status = statusAfter(outcome, broadcast)
  const { numUpdatedRows } = await tx
    .updateTable('broadcast_recipients')
    .set({ status, due_at: now, claimed_by: null, attempts: 0, tried_at: null })
    .where('email_id', '=', emailId)
    .where('contact_id', '=', contactId)
    .where('broadcast_id', '=', broadcastId)
    .where('status', '=', 'uncertain')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  const change = {
    ...noChange,
    accepted: status === 'accepted' ? 1 : 0,
    refused: status === 'refused' ? 1 : 0,
    uncertain: -1,
    dueAt: status === 'queued' ? now : undefined,
  }
  await changeCounts(tx, new Map([[broadcastId, change]]), now)
}

function statusAfter(
  outcome: 'accepted' | 'refused',
  broadcast: Pick<BroadcastRow, 'status'>,
): Extract<RecipientStatus, 'accepted' | 'refused' | 'queued'> {
  if (outcome === 'accepted') return 'accepted'
  return broadcast.status === 'cancelled' ? 'refused' : 'queued'
}
