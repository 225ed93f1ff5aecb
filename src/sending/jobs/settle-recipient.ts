import type { Transaction } from 'kysely'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import { changeCounts } from './counts.ts'
import type { RecipientStatus, SendingRow, SendingTables } from './table.ts'

/**
 * What an operator's word on an uncertain delivery does to the sending that it was of: who got it has
 * got it; who did not goes back to the queue, to be tried as if for the first time, and a sending that
 * was done goes on. Of one that was cancelled he is refused. Does nothing where the recipient is not in doubt.
 */
export async function settleRecipient(
  transaction: Transaction<DeliveryTables>,
  delivery: Pick<DeliveryRow, 'email_id' | 'contact_id' | 'sending_id'>,
  { outcome, now }: { outcome: 'accepted' | 'refused'; now: number },
): Promise<void> {
  const tx = transaction.withTables<SendingTables>()
  const { email_id: emailId, contact_id: contactId, sending_id: sendingId } = delivery
  if (emailId === null || contactId === null || sendingId === null) return
  const sending = await tx
    .selectFrom('sendings')
    .select(['id', 'status'])
    .where('id', '=', sendingId)
    .forUpdate()
    .executeTakeFirst()
  if (sending === undefined) return
  const status = statusAfter(outcome, sending)
  const { numUpdatedRows } = await tx
    .updateTable('sending_recipients')
    .set({ status, due_at: now, claimed_by: null, attempts: 0, tried_at: null })
    .where('email_id', '=', emailId)
    .where('contact_id', '=', contactId)
    .where('sending_id', '=', sendingId)
    .where('status', '=', 'uncertain')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  const change = {
    accepted: status === 'accepted' ? 1 : 0,
    refused: status === 'refused' ? 1 : 0,
    uncertain: -1,
    dueAt: status === 'queued' ? now : undefined,
  }
  await changeCounts(tx, new Map([[sendingId, change]]), now)
}

function statusAfter(
  outcome: 'accepted' | 'refused',
  sending: Pick<SendingRow, 'status'>,
): Extract<RecipientStatus, 'accepted' | 'refused' | 'queued'> {
  if (outcome === 'accepted') return 'accepted'
  return sending.status === 'cancelled' ? 'refused' : 'queued'
}
