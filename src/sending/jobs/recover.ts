import { sql, type Transaction } from 'kysely'
import type { EmailTables } from '../../emails/index.ts'
import { fold } from '../../kit/fold.ts'
import { emptyDelivery } from '../journal/empty-delivery.ts'
import type { DeliveryTables } from '../table.ts'
import { type CountChange, changeCounts } from './counts.ts'
import type { EnrolTables } from './enrol.ts'
import { createJobIdentity } from './job-identity.ts'
import { lostReason } from './outcomes.ts'

type Tables = EnrolTables & EmailTables & DeliveryTables

/** What dead processes are buried with. */
export interface RecoverContext {
  now: number
  /** The sender of emails that name none. */
  defaultFrom: string
}

/**
 * What dead processes have left behind: what they had claimed goes back to the queue; what they were
 * sending may have arrived, so it is uncertain, not sent again, and listed as such. Returns how many of
 * each there were.
 */
export async function recoverRecipients(
  transaction: Transaction<DeliveryTables>,
  processIds: readonly string[],
  { now, defaultFrom }: RecoverContext,
): Promise<{ requeued: number; uncertain: number }> {
  const tx = transaction.withTables<Tables>()
  const dead = sql.join(processIds)
  const { rows: claimed } = await sql<{ sending_id: number }>`update sending_recipients
    set status = 'queued', claimed_by = null
    where claimed_by in (${dead}) and status = 'claimed' returning sending_id`.execute(tx)
  const { rows: lost } = await sql<Lost>`update sending_recipients
    set status = 'uncertain', attempts = attempts + 1, tried_at = coalesce(tried_at, ${now})
    where claimed_by in (${dead}) and status = 'sending'
    returning sending_id, contact_id, email_id, claimed_by`.execute(tx)
  for (const recipient of lost) await recordLost(tx, recipient, { now, defaultFrom })
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
}

async function recordLost(
  tx: Transaction<Tables>,
  lost: Lost,
  { now, defaultFrom }: RecoverContext,
): Promise<void> {
  const { sending_id: sendingId, contact_id: contactId, email_id: emailId } = lost
  const sending = await tx
    .selectFrom('sendings')
    .select(['caller', 'message_seed'])
    .where('id', '=', sendingId)
    .executeTakeFirst()
  const contact = await tx
    .selectFrom('contacts')
    .select('email')
    .where('id', '=', contactId)
    .executeTakeFirst()
  const email = await tx
    .selectFrom('emails')
    .select('from_address')
    .where('id', '=', emailId)
    .executeTakeFirst()
  const recipient = contact?.email ?? ''
  const sender = email?.from_address ?? defaultFrom
  const { messageId } = createJobIdentity(
    { seed: sending?.message_seed ?? '', sendingId, contactId, sender },
    { now: () => now },
  )
  const begun = {
    source: 'job' as const,
    caller: sending?.caller ?? '',
    startedAt: now,
    processId: lost.claimed_by,
  }
  await tx
    .insertInto('deliveries')
    .values({
      ...emptyDelivery(begun),
      email_id: emailId,
      contact_id: contactId,
      sending_id: sendingId,
      sender,
      recipient,
      recipient_key: fold(recipient),
      message_id: messageId,
      outcome: 'uncertain',
      reason: lostReason,
    })
    .execute()
}
