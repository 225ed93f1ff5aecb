import { type Kysely, sql } from 'kysely'
import type { DatabaseKind, Migrations } from '../../storage/index.ts'

/** How the table of deliveries went on from its first shape. */
export const deliveryMigrations: Migrations = {
  /**
   * One index for each filter of the list, in the order of the list: by time. Each index costs every
   * message that is sent; so one has only the rows that its filter may find, and keys that are not set
   * are in none.
   */
  async '20261121_21_deliveries_by_time'(db, kind) {
    for (const name of firstIndexes) await db.schema.dropIndex(`deliveries_${name}`).execute()
    for (const name of ['contact_id', 'sending_id', 'email_id', 'transport_id', 'member'])
      await addIndex(db, kind, { name, where: `${name} is not null` })
    for (const name of ['recipient_key', 'source']) await addIndex(db, kind, { name })
    const where = "outcome = 'started' or outcome = 'refused' or outcome = 'uncertain'"
    await addIndex(db, kind, { name: 'outcome', where })
    await sql`create index deliveries_time on deliveries (started_at, id)`.execute(db)
    for (const key of ['message_key', 'bulk_key'])
      await sql`create unique index ${sql.ref(`deliveries_${key}`)} on deliveries (${sql.ref(key)})
        where ${sql.ref(key)} is not null`.execute(db)
  },
}

const firstIndexes = [
  'email_id',
  'contact_id',
  'sending_id',
  'recipient_key',
  'transport_id',
  'outcome',
  'started_at',
  'message_key',
  'bulk_key',
]

async function addIndex(
  db: Kysely<unknown>,
  kind: DatabaseKind,
  { name, where }: { name: string; where?: string },
): Promise<void> {
  // SQLite has the id in every index.
  const id = sql.raw(kind === 'sqlite' ? '' : ', id')
  const only = where === undefined ? sql`` : sql` where ${sql.raw(where)}`
  await sql`create index ${sql.ref(`deliveries_${name}`)}
    on deliveries (${sql.ref(name)}, started_at${id})${only}`.execute(db)
}
