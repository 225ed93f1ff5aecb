import { sql, type Transaction } from 'kysely'
import type { ContactTables } from '../../contacts/index.ts'
import type { DatabaseKind } from '../../storage/index.ts'
import { isAmong } from './rows.ts'
import type { SendingRow, SendingTables } from './table.ts'

/** The tables that contacts are enrolled from and into. */
export type EnrolTables = SendingTables & ContactTables

/** How many contacts a sending left out, by the reason. */
export interface Skipped {
  /** They have the email from another sending, or may have it. */
  alreadySent: number
  /** Another sending is about to send it to them. */
  beingSent: number
  withoutAddress: number
  unpublished: number
  deleted: number
}

/** What became of contacts that were to be enrolled. */
export interface Enrolled {
  enrolled: number
  skipped: Skipped
}

/**
 * Writes contacts down as recipients of a sending: those who are published, have an address, and
 * neither got this email by another sending nor are about to. Whoever was refused before, or left over
 * by a sending that was cancelled, is taken. It must run under the lock of the email.
 */
export async function enrol(
  tx: Transaction<EnrolTables>,
  sending: Pick<SendingRow, 'id' | 'email_id'>,
  { kind, contactIds, now }: { kind: DatabaseKind; contactIds: readonly number[]; now: number },
): Promise<Enrolled> {
  if (contactIds.length === 0) return { enrolled: 0, skipped: { ...nobodySkipped } }
  const { id, email_id: emailId } = sending
  const { numAffectedRows } = await sql`insert into sending_recipients
      (email_id, contact_id, sending_id, status, attempts, due_at)
    select cast(${emailId} as bigint), contacts.id, cast(${id} as bigint), 'queued', 0,
      cast(${now} as bigint)
    from contacts
    where ${isAmong(kind, 'contacts.id', contactIds)}
      and contacts.email is not null and contacts.is_published
      -- Not as "not exists": PostgreSQL would make one join of it for all contacts, and before it has got to
      -- know the table, one that goes through all of the email's recipients for each of them.
      and (
        select 1 from sending_recipients as earlier
        where earlier.email_id = ${emailId} and earlier.contact_id = contacts.id
          and (earlier.sending_id = ${id}
            or earlier.status in ('accepted', 'uncertain', 'sending')
            or earlier.status in ('queued', 'claimed') and exists (
              select 1 from sendings
              where sendings.id = earlier.sending_id
                and sendings.status in ('running', 'paused')))
        limit 1) is null`.execute(tx)
  const enrolled = Number(numAffectedRows ?? 0n)
  const skipped =
    enrolled === contactIds.length
      ? { ...nobodySkipped }
      : await countSkipped(tx, sending, { kind, contactIds, enrolled })
  return { enrolled, skipped }
}

const nobodySkipped: Skipped = {
  alreadySent: 0,
  beingSent: 0,
  withoutAddress: 0,
  unpublished: 0,
  deleted: 0,
}

/** Why contacts were left out. It costs as much as to enrol them, and only where there are such. */
async function countSkipped(
  tx: Transaction<EnrolTables>,
  { id, email_id: emailId }: Pick<SendingRow, 'id' | 'email_id'>,
  given: { kind: DatabaseKind; contactIds: readonly number[]; enrolled: number },
): Promise<Skipped> {
  const { kind, contactIds, enrolled } = given
  const { rows } = await sql<{ reason: keyof Skipped | null; count: number }>`
    select reason, count(*) as count from (
      select case
        when (select 1 from sending_recipients as own where own.email_id = ${emailId}
          and own.contact_id = contacts.id and own.sending_id = ${id}) is not null then null
        when contacts.email is null then 'withoutAddress'
        when not contacts.is_published then 'unpublished'
        when (select 1 from sending_recipients as earlier where earlier.email_id = ${emailId}
          and earlier.contact_id = contacts.id and earlier.status in ('accepted', 'uncertain')
          limit 1) is not null then 'alreadySent'
        else 'beingSent' end as reason
      from contacts where ${isAmong(kind, 'contacts.id', contactIds)}) as reasons
    group by reason`.execute(tx)
  const skipped = { ...nobodySkipped, deleted: contactIds.length - enrolled }
  for (const { reason, count } of rows) {
    if (reason === null) continue
    skipped[reason] = Number(count)
    skipped.deleted -= Number(count)
  }
  return skipped
}

/** What a `skipped` column says, and more. */
export function addSkipped(text: string, more: Skipped): Skipped {
  const sum = readSkipped(text)
  for (const reason of Object.keys(nobodySkipped) as (keyof Skipped)[]) sum[reason] += more[reason]
  return sum
}

/** Reads the `skipped` column. */
export function readSkipped(text: string): Skipped {
  return { ...nobodySkipped, ...(JSON.parse(text) as Partial<Skipped>) }
}

/** Transactions that enrol for one email, or take somebody back into its queue, run one after the other. */
export function enrolLock(emailId: number): string {
  return `sending of email ${emailId}`
}
