import { type Kysely, sql } from 'kysely'
import type { ContactTables } from '../../contacts/index.ts'
import type { DeliveryTables } from '../table.ts'
import type { RecipientStatus, SendingTables } from './table.ts'

type Tables = SendingTables &
  DeliveryTables &
  ContactTables & { merged_contacts: { id: number; into_id: number } }

/**
 * Before contacts with the same address are merged: leads deliveries, recipients and lists of contacts to the one that stays,
 * which is the oldest. Of several recipients of one broadcast, one stays, and the address gets no second message.
 */
export async function followMergedContacts(anyDb: Kysely<unknown>): Promise<void> {
  const db = anyDb.withTables<Tables>()
  await db.schema
    .createTable('merged_contacts')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('into_id', 'bigint', (column) => column.notNull())
    .execute()
  await sql`insert into merged_contacts (id, into_id)
    select contacts.id, kept.id from contacts
    join (select email_key, min(id) as id from contacts where email_key is not null
      group by email_key having count(*) > 1) as kept on kept.email_key = contacts.email_key
    where contacts.id <> kept.id`.execute(db)
  if ((await db.selectFrom('merged_contacts').select('id').limit(1).execute()).length > 0) {
    await sql`update deliveries set contact_id =
        (select into_id from merged_contacts where merged_contacts.id = deliveries.contact_id)
      where contact_id in (select id from merged_contacts)`.execute(db)
    await mergeRecipients(db)
    await renameListed(db)
  }
  await db.schema.dropTable('merged_contacts').execute()
}

/** Which of several recipients stays: the one that says most of what the address has got. */
const ranks: readonly RecipientStatus[] = [
  'sending',
  'accepted',
  'uncertain',
  'refused',
  'claimed',
  'queued',
]

interface SharedRecipient {
  email_id: number
  sending_id: number
  contact_id: number
  kept_id: number
  status: RecipientStatus
}

async function mergeRecipients(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<SharedRecipient>`
    select email_id, sending_id, contact_id, coalesce(merged.into_id, contact_id) as kept_id, status
    from sending_recipients as recipients
    left join merged_contacts as merged on merged.id = recipients.contact_id
    where contact_id in (select id from merged_contacts union select into_id from merged_contacts)
    order by sending_id, contact_id`.execute(db)
  const byAddress = Map.groupBy(rows, (row) => `${row.sending_id} ${row.kept_id}`)
  for (const same of byAddress.values()) {
    const [kept, ...others] = same.toSorted(
      (one, other) => ranks.indexOf(one.status) - ranks.indexOf(other.status),
    )
    for (const recipient of others) await removeRecipient(db, recipient)
    if (kept === undefined || kept.contact_id === kept.kept_id) continue
    await db
      .updateTable('sending_recipients')
      .set({ contact_id: kept.kept_id })
      .where('email_id', '=', kept.email_id)
      .where('contact_id', '=', kept.contact_id)
      .where('sending_id', '=', kept.sending_id)
      .execute()
  }
}

/** Its broadcast has one fewer, unless it counts what became of it already. */
async function removeRecipient(db: Kysely<Tables>, recipient: SharedRecipient): Promise<void> {
  const { status, email_id: emailId, contact_id: contactId, sending_id: id } = recipient
  await db
    .deleteFrom('sending_recipients')
    .where('email_id', '=', emailId)
    .where('contact_id', '=', contactId)
    .where('sending_id', '=', id)
    .execute()
  if (status === 'accepted' || status === 'refused' || status === 'uncertain') return
  const fewer = sql<number>`total - 1`
  await db.updateTable('sendings').set({ total: fewer }).where('id', '=', id).execute()
}

/** Lists of contacts that are not all recipients yet keep their length: how far they were read is a place in them. */
async function renameListed(db: Kysely<Tables>): Promise<void> {
  const merged = await db.selectFrom('merged_contacts').selectAll().execute()
  const keptOf = new Map(merged.map(({ id, into_id: kept }) => [id, kept]))
  const listed = db.selectFrom('sendings').select(['id', 'contact_ids'])
  const open = await listed.where('is_prepared', '=', false).execute()
  for (const { id, contact_ids: text } of open) {
    if (text === null) continue
    const ids = (JSON.parse(text) as number[]).map((each) => keptOf.get(each) ?? each)
    await db
      .updateTable('sendings')
      .set({ contact_ids: JSON.stringify(ids) })
      .where('id', '=', id)
      .execute()
  }
}
