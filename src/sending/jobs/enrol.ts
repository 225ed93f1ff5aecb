import { sql, type Transaction } from 'kysely'
import type { ContactTables } from '../../contacts/index.ts'
import type { SendingRow, SendingTables } from './table.ts'

/** The tables that contacts are enrolled from and into. */
export type EnrolTables = SendingTables & ContactTables

/**
 * Writes contacts down as recipients of a sending: those who have an address and did not get this email
 * by another sending. Whoever was refused before is tried again. Returns how many were written down.
 */
export async function enrol(
  tx: Transaction<EnrolTables>,
  sending: Pick<SendingRow, 'id' | 'email_id'>,
  { contactIds, now }: { contactIds: readonly number[]; now: number },
): Promise<number> {
  if (contactIds.length === 0) return 0
  const { id, email_id: emailId } = sending
  const inserted = await tx
    .insertInto('sending_recipients')
    .columns(['sending_id', 'contact_id', 'email_id', 'status', 'attempts', 'due_at'])
    .expression((from) =>
      from
        .selectFrom('contacts')
        .select([
          sql<number>`cast(${id} as bigint)`.as('sending_id'),
          'contacts.id',
          sql<number>`cast(${emailId} as bigint)`.as('email_id'),
          sql<'queued'>`'queued'`.as('status'),
          sql<number>`0`.as('attempts'),
          sql<number>`cast(${now} as bigint)`.as('due_at'),
        ])
        .where('contacts.id', 'in', [...contactIds])
        .where('contacts.email', 'is not', null)
        .where('contacts.is_published', '=', true)
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('sending_recipients as earlier')
                .select('earlier.contact_id')
                .whereRef('earlier.contact_id', '=', 'contacts.id')
                .where('earlier.email_id', '=', emailId)
                .where('earlier.status', '<>', 'refused'),
            ),
          ),
        ),
    )
    .executeTakeFirst()
  return Number(inserted.numInsertedOrUpdatedRows ?? 0n)
}
