import { sql, type Transaction } from 'kysely'
import { emailKey } from '../../kit/email-key.ts'
import { emptyDelivery } from '../journal/empty-delivery.ts'
import type { DeliveryTables } from '../table.ts'
import { type CountChange, changeCounts } from './counts.ts'
import type { EnrolTables } from './enrol.ts'
import { readAttempt } from './leaving-attempt.ts'
import { lostReason } from './outcomes.ts'

type Tables = EnrolTables & DeliveryTables

/**
 * What dead processes have left behind: what they had claimed goes back to the queue; what they were
 * sending may have arrived, so it is uncertain, not sent again, and listed as such. Returns how many of
 * each there were.
 */
export async function recoverRecipients(
  transaction: Transaction<DeliveryTables>,
  processIds: readonly string[],
  now: number,
): Promise<{ requeued: number; uncertain: number }> {
  const tx = transaction.withTables<Tables>()
  const dead = sql.join(processIds)
  const { rows: claimed } = await sql<{ sending_id: number }>`update sending_recipients
    set status = 'queued', claimed_by = null
    where claimed_by in (${dead}) and status = 'claimed' returning sending_id`.execute(tx)
  const { rows: lost } = await sql<Lost>`update sending_recipients
    set status = 'uncertain', attempts = attempts + 1, tried_at = coalesce(tried_at, ${now})
    where claimed_by in (${dead}) and status = 'sending'
    returning sending_id, contact_id, email_id, claimed_by, attempt`.execute(tx)
  for (const recipient of lost) await recordLost(tx, recipient, now)
  const changes = new Map<number, CountChange>()
  const of = (id: number) => {
    const change = changes.get(id) ?? { accepted: 0, refused: 0, uncertain: 0, dueAt: undefined }
    changes.set(id, change)
    return change
  }
  for (const { sending_id: id } of claimed) of(id).dueAt = now
  for (const { sending_id: id } of lost) of(id).uncertain += 1
  await changeCounts(tx.withTables<EnrolTables>(), changes, now)
  return { requeued: claimed.length, uncertain: lost.length }
}

interface Lost {
  sending_id: number
  contact_id: number
  email_id: number
  claimed_by: string
  /** Null where an earlier version sent it. */
  attempt: string | null
}

async function recordLost(tx: Transaction<Tables>, lost: Lost, now: number): Promise<void> {
  const { sending_id: sendingId, contact_id: contactId, email_id: emailId } = lost
  const query = tx.selectFrom('sendings').select('caller').where('id', '=', sendingId)
  const caller = (await query.executeTakeFirst())?.caller ?? ''
  const attempt = readAttempt(lost.attempt, now)
  const { started_at: startedAt, recipient } = attempt
  await tx
    .insertInto('deliveries')
    .values({
      ...emptyDelivery({ source: 'job', caller, startedAt, processId: lost.claimed_by }),
      ...attempt,
      email_id: emailId,
      contact_id: contactId,
      sending_id: sendingId,
      recipient_key: emailKey(recipient),
      outcome: 'uncertain',
      reason: lostReason,
    })
    .execute()
}
