import { sql, type Transaction } from 'kysely'
import type { ContactTables } from '../../contacts/index.ts'
import type { DatabaseFeatures, Storage } from '../../storage/index.ts'
import { domainOf, isSuppressed } from '../../suppressions/index.ts'
import { endBroadcast, isSettled } from './counts.ts'
import type { BroadcastRow, BroadcastTables } from './table.ts'

/** The contacts of one transaction: some ten milliseconds. */
const contactsPerBatch = 1_000

/** Adds the next contacts of a running broadcast as recipients; returns whether it was the last batch. */
export async function prepareBroadcast(
  storage: Storage,
  { id, email_id: emailId }: Pick<BroadcastRow, 'id' | 'email_id'>,
  { now, defaultFrom }: { now: number; defaultFrom: string },
): Promise<boolean> {
  return storage.transaction(async (tx: Transaction<AddRecipientsTables>) => {
    await storage.lock(tx, addRecipientsLock(emailId))
    const row = await tx
      .selectFrom('broadcasts')
      .selectAll()
      .where('id', '=', id)
      .where('state', '=', 'running')
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (row === undefined || row.is_prepared) return true
    const { is_prepared: isPrepared } = await prepareBatch(tx, row, {
      storage,
      now,
      defaultFrom,
    })
    return Boolean(isPrepared)
  })
}

/** As `prepareBroadcast`, in a transaction that has the lock of the email; returns the changed row. */
export async function prepareBatch(
  tx: Transaction<AddRecipientsTables>,
  row: BroadcastRow,
  { storage, now, defaultFrom }: { storage: DatabaseFeatures; now: number; defaultFrom: string },
): Promise<BroadcastRow> {
  const { contactIds, preparedTo, isLast } =
    row.segment === null ? nextListed(row) : await nextOfSegment(tx, row, row.segment)
  const { rows: emails } = await sql<{ from_address: string | null }>`
    select from_address from emails where id = ${row.email_id}`.execute(tx)
  const senderDomain = domainOf(emails[0]?.from_address ?? defaultFrom)
  const { added, skipped } = await addRecipients(tx, row, {
    storage,
    contactIds,
    now,
    senderDomain,
  })
  const change = {
    is_prepared: isLast,
    prepared_to: preparedTo,
    total: row.total + added,
    skipped: JSON.stringify(addSkipped(row.skipped, skipped)),
    ...(isLast ? { contact_ids: null } : {}),
    ...(added > 0 && row.due_at > now ? { due_at: now } : {}),
  }
  await tx.updateTable('broadcasts').set(change).where('id', '=', row.id).execute()
  const changed = { ...row, ...change }
  if (!isSettled(changed)) return changed
  await endBroadcast(tx, row.id, now)
  return { ...changed, state: 'done', finished_at: now }
}

interface ContactBatch {
  contactIds: number[]
  preparedTo: number
  isLast: boolean
}

function nextListed({ contact_ids: text, prepared_to: from }: BroadcastRow): ContactBatch {
  const all = JSON.parse(text ?? '[]') as number[]
  const to = from + contactsPerBatch
  return { contactIds: all.slice(from, to), preparedTo: to, isLast: to >= all.length }
}

async function nextOfSegment(
  tx: Transaction<AddRecipientsTables>,
  { prepared_to: from }: BroadcastRow,
  segment: string,
): Promise<ContactBatch> {
  const members = await tx
    .selectFrom('contact_segments')
    .select('contact_id')
    .where('segment', '=', segment)
    .where('contact_id', '>', from)
    .orderBy('contact_id')
    .limit(contactsPerBatch)
    .execute()
  const contactIds = members.map((member) => member.contact_id)
  const preparedTo = contactIds.at(-1) ?? from
  return { contactIds, preparedTo, isLast: members.length < contactsPerBatch }
}

export type AddRecipientsTables = BroadcastTables & ContactTables

/** The number of contacts that a broadcast left out, by reason. */
export interface Skipped {
  /** They got the email by another broadcast, or may have got it. */
  alreadySent: number
  /** Another broadcast is about to send it to them. */
  beingSent: number
  withoutAddress: number
  unpublished: number
  deleted: number
  /** Their address is suppressed. */
  suppressed: number
}

export interface AddedRecipients {
  added: number
  skipped: Skipped
}

/** Contacts to add to a broadcast. */
export interface ContactsToAdd {
  storage: DatabaseFeatures
  contactIds: readonly number[]
  now: number
  /** The domain of the sender, which suppressions may name. */
  senderDomain: string
}

/**
 * Adds contacts as recipients of a broadcast. It leaves out contacts that are not published, have no address, are
 * suppressed, or are recipients of this email in another broadcast. Contacts that were refused there, or not reached before it was cancelled,
 * are added. Call it under the lock of the email.
 */
export async function addRecipients(
  tx: Transaction<AddRecipientsTables>,
  broadcast: Pick<BroadcastRow, 'id' | 'email_id'>,
  batch: ContactsToAdd,
): Promise<AddedRecipients> {
  const { storage, contactIds, now, senderDomain } = batch
  if (contactIds.length === 0) return { added: 0, skipped: { ...noneSkipped } }
  const { id, email_id: emailId } = broadcast
  const { numAffectedRows } = await sql`insert into broadcast_recipients
      (email_id, contact_id, broadcast_id, state, attempts, due_at)
    select cast(${emailId} as bigint), contacts.id, cast(${id} as bigint), 'queued', 0,
      cast(${now} as bigint)
    from contacts
    where ${storage.isAmong('contacts.id', contactIds)}
      and contacts.email is not null and contacts.is_published
      and not ${isSuppressed('contacts.email_key', senderDomain)}
      -- Not "not exists": PostgreSQL would turn it into a join, which without statistics scans all recipients of
      -- the email for each contact.
      and (
        select 1 from broadcast_recipients as earlier
        where earlier.email_id = ${emailId} and earlier.contact_id = contacts.id
          and (earlier.broadcast_id = ${id}
            or earlier.state in ('accepted', 'uncertain', 'attempting')
            or earlier.state in ('queued', 'claimed') and exists (
              select 1 from broadcasts
              where broadcasts.id = earlier.broadcast_id
                and broadcasts.state in ('running', 'paused')))
        limit 1) is null`.execute(tx)
  const added = Number(numAffectedRows ?? 0n)
  const skipped =
    added === contactIds.length
      ? { ...noneSkipped }
      : await countSkipped(tx, broadcast, { ...batch, added })
  return { added, skipped }
}

export const noneSkipped: Skipped = {
  alreadySent: 0,
  beingSent: 0,
  withoutAddress: 0,
  unpublished: 0,
  deleted: 0,
  suppressed: 0,
}

/** Counts why contacts were left out. It costs as much as adding them, and runs only if some were left out. */
async function countSkipped(
  tx: Transaction<AddRecipientsTables>,
  { id, email_id: emailId }: Pick<BroadcastRow, 'id' | 'email_id'>,
  batch: ContactsToAdd & { added: number },
): Promise<Skipped> {
  const { storage, contactIds, added, senderDomain } = batch
  const { rows } = await sql<{ reason: keyof Skipped | null; count: number }>`
    select reason, count(*) as count from (
      select case
        when (select 1 from broadcast_recipients as own where own.email_id = ${emailId}
          and own.contact_id = contacts.id and own.broadcast_id = ${id}) is not null then null
        when contacts.email is null then 'withoutAddress'
        when not contacts.is_published then 'unpublished'
        when (select 1 from broadcast_recipients as earlier where earlier.email_id = ${emailId}
          and earlier.contact_id = contacts.id and earlier.state in ('accepted', 'uncertain')
          limit 1) is not null then 'alreadySent'
        when ${isSuppressed('contacts.email_key', senderDomain)} then 'suppressed'
        else 'beingSent' end as reason
      from contacts where ${storage.isAmong('contacts.id', contactIds)}) as reasons
    group by reason`.execute(tx)
  const skipped = { ...noneSkipped, deleted: contactIds.length - added }
  for (const { reason, count } of rows) {
    if (reason === null) continue
    skipped[reason] = Number(count)
    skipped.deleted -= Number(count)
  }
  return skipped
}

/** Adds counts to those of a `skipped` column. */
export function addSkipped(text: string, more: Skipped): Skipped {
  const sum = readSkipped(text)
  for (const reason of Object.keys(noneSkipped) as (keyof Skipped)[]) sum[reason] += more[reason]
  return sum
}

/** Parses a `skipped` column. */
export function readSkipped(text: string): Skipped {
  return { ...noneSkipped, ...(JSON.parse(text) as Partial<Skipped>) }
}

/** The lock that serializes the transactions that add recipients of one email. */
export function addRecipientsLock(emailId: number): string {
  return `broadcast of email ${emailId}`
}
