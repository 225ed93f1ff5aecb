import { type Kysely, sql } from 'kysely'
import { createTableWithId, type DatabaseKind, type Migrations } from '../../storage/index.ts'

/**
 * The tables of sendings and their recipients. They have no foreign keys: deleting an email or a contact
 * takes no history with it, nor a lock on a million rows.
 */
export const jobMigrations: Migrations = {
  async '20261121_09_sendings'(db, kind) {
    await createSendings(db, kind)
    await createRecipients(db, kind)
    await addIndexes(db)
  },
}

async function createSendings(db: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  await createTableWithId(db, kind, 'sendings')
    .addColumn('email_id', 'bigint', (column) => column.notNull())
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('problem', 'text')
    .addColumn('segment', 'text')
    .addColumn('contact_ids', 'text')
    .addColumn('is_prepared', 'boolean', (column) => column.notNull())
    .addColumn('prepared_to', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('total', 'bigint', (column) => column.notNull())
    .addColumn('accepted', 'bigint', (column) => column.notNull())
    .addColumn('refused', 'bigint', (column) => column.notNull())
    .addColumn('uncertain', 'bigint', (column) => column.notNull())
    .addColumn('rate_stretch', 'bigint', (column) => column.notNull())
    .addColumn('rate_count', 'bigint', (column) => column.notNull())
    .addColumn('rate_before', 'bigint', (column) => column.notNull())
    .addColumn('message_seed', 'text', (column) => column.notNull())
    .addColumn('idempotency_key', 'text', (column) => column.unique())
    .addColumn('request_hash', 'text')
    .execute()
}

/** Their key begins with what the next sending of the same email asks for: email and contact. */
async function createRecipients(db: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  const table = db.schema
    .createTable('sending_recipients')
    .addColumn('email_id', 'bigint', (column) => column.notNull())
    .addColumn('contact_id', 'bigint', (column) => column.notNull())
    .addColumn('sending_id', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('tried_at', 'bigint')
    .addColumn('claimed_by', 'text')
    .addPrimaryKeyConstraint('sending_recipients_once', ['email_id', 'contact_id', 'sending_id'])
  await (kind === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table).execute()
}

/** Small ones: they hold what is to be done, not what was done. */
async function addIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('sendings_due').on('sendings').columns(['status', 'due_at']).execute()
  await sql`create index sending_recipients_due on sending_recipients (sending_id, due_at)
    where status = 'queued'`.execute(db)
  await sql`create index sending_recipients_claimed_by on sending_recipients (claimed_by)
    where claimed_by is not null`.execute(db)
}
