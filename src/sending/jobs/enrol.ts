import { sql, type Transaction } from 'kysely'
import type { ContactTables } from '../../contacts/index.ts'
import type { DatabaseKind } from '../../storage/index.ts'
import { isAmong } from './rows.ts'
import type { SendingRow, SendingTables } from './table.ts'

/** The tables that contacts are enrolled from and into. */
export type EnrolTables = SendingTables & ContactTables

/**
 * Writes contacts down as recipients of a sending: those who are published, have an address, and
 * neither got this email by another sending nor are about to. Whoever was refused before, or left over
 * by a sending that was cancelled, is taken. Returns how many were written down. It must run under the
 * lock of the email.
 */
export async function enrol(
  tx: Transaction<EnrolTables>,
  sending: Pick<SendingRow, 'id' | 'email_id'>,
  { kind, contactIds, now }: { kind: DatabaseKind; contactIds: readonly number[]; now: number },
): Promise<number> {
  if (contactIds.length === 0) return 0
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
  return Number(numAffectedRows ?? 0n)
}

/** Transactions that enrol for one email, or take somebody back into its queue, run one after the other. */
export function enrolLock(emailId: number): string {
  return `sending of email ${emailId}`
}
