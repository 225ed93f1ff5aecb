import { sql, type Transaction } from 'kysely'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import { changeCounts, noChange } from './counts.ts'
import { type AddRecipientsTables, addRecipientsLock } from './prepare.ts'
import type { BroadcastRow } from './table.ts'

/** The recipients of one transaction: some ten milliseconds. */
const recipientsPerBatch = 5_000

/** The refused recipients that went back to the queue, and those that did not. */
export interface Retried {
  retried: number
  /** They got the email by another broadcast or are about to, or cannot get it any more. */
  skipped: number
}

/**
 * Puts the refused recipients of a broadcast back into its queue, as new ones. A broadcast that was done runs again. Leaves
 * out contacts that are deleted, unpublished or without an address, and recipients of the email in another broadcast.
 */
export async function retryRefused(
  storage: Storage,
  { id, email_id: emailId }: Pick<BroadcastRow, 'id' | 'email_id'>,
  now: number,
): Promise<Retried> {
  const sum = { retried: 0, skipped: 0 }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const part: Part = { id, emailId, after, now }
    const { retried, skipped, last } = await storage.transaction(
      async (tx: Transaction<AddRecipientsTables>) => {
        // Another broadcast of the email must not add the same contact.
        await storage.lock(tx, addRecipientsLock(emailId))
        return retryBatch(tx, part)
      },
    )
    sum.retried += retried
    sum.skipped += skipped
    after = last
    await pause()
  }
  return sum
}

interface Part {
  id: number
  emailId: number
  /** The last contact of the batch before. */
  after: number
  now: number
}

async function retryBatch(
  tx: Transaction<AddRecipientsTables>,
  { id, emailId, after, now }: Part,
): Promise<Retried & { last: number | undefined }> {
  const window = await tx
    .selectFrom('broadcast_recipients')
    .select('contact_id')
    .where('email_id', '=', emailId)
    .where('contact_id', '>', after)
    .orderBy('contact_id')
    .limit(recipientsPerBatch)
    .execute()
  const last = window.at(-1)?.contact_id
  if (last === undefined) return { retried: 0, skipped: 0, last }
  const isInPart = sql`email_id = ${emailId} and contact_id > ${after} and contact_id <= ${last}
    and broadcast_id = ${id} and state = 'refused'`
  const { rows: refused } = await sql<{ count: number }>`select count(*) as count
    from broadcast_recipients where ${isInPart}`.execute(tx)
  const count = Number(refused[0]?.count ?? 0)
  if (count === 0) return { retried: 0, skipped: 0, last }
  const { numAffectedRows } = await sql`update broadcast_recipients
    set state = 'queued', due_at = ${now}, claimed_by = null, attempts = 0,
      tried_at = null
    where ${isInPart}
      and (select 1 from contacts where contacts.id = broadcast_recipients.contact_id
        and contacts.email is not null and contacts.is_published) is not null
      and (
        select 1 from broadcast_recipients as other
        where other.email_id = ${emailId} and other.contact_id = broadcast_recipients.contact_id
          and other.broadcast_id <> ${id}
          and (other.state in ('accepted', 'uncertain', 'attempting')
            or other.state in ('queued', 'claimed') and exists (
              select 1 from broadcasts
              where broadcasts.id = other.broadcast_id
                and broadcasts.state in ('running', 'paused')))
        limit 1) is null`.execute(tx)
  const retried = Number(numAffectedRows ?? 0n)
  const change = { ...noChange, refused: -retried, dueAt: now }
  if (retried > 0) await changeCounts(tx, new Map([[id, change]]), now)
  return { retried, skipped: count - retried, last }
}
