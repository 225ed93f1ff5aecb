import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { createTableWithId, type DatabaseKind, type Migrations } from '../../storage/index.ts'

/** How the tables of sendings went on from their first shape. */
export const jobMigrations: Migrations = {
  /**
   * Claims in two steps, and no foreign keys: deleting an email or a contact takes no history with it,
   * nor a lock on a million rows. A recipient's key begins with email and contact, since that is what
   * the next sending of the same email asks for.
   */
  async '20261121_20_claims_in_two_steps'(db, kind) {
    await db.schema.alterTable('sendings').renameTo('first_sendings').execute()
    await db.schema.alterTable('sending_recipients').renameTo('first_recipients').execute()
    for (const name of ['due', 'once', 'contact', 'finished'])
      await db.schema.dropIndex(`sending_recipients_${name}`).execute()
    await db.schema.dropIndex('sendings_status').execute()
    await createSendings(db, kind)
    await createRecipients(db, kind)
    await copyFirst(db)
    await db.schema.dropTable('first_recipients').execute()
    await db.schema.dropTable('first_sendings').execute()
    if (kind === 'postgres')
      await sql`select setval(pg_get_serial_sequence('sendings', 'id'),
        (select coalesce(max(id), 0) + 1 from sendings), false)`.execute(db)
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

async function copyFirst(db: Kysely<unknown>): Promise<void> {
  const seed = randomBytes(12).toString('hex')
  await sql`insert into sendings (id, email_id, caller, created_at, finished_at, status, segment,
      is_prepared, prepared_to, due_at, total, accepted, refused, uncertain,
      rate_stretch, rate_count, rate_before, message_seed, idempotency_key)
    select id, email_id, caller, created_at, finished_at, status, segment,
      is_prepared, prepared_to, due_at, total, accepted, refused, uncertain,
      0, 0, 0, ${sql.lit(seed)}, idempotency_key
    from first_sendings`.execute(db)
  // What was claimed in one step may have left.
  await sql`insert into sending_recipients
      (email_id, contact_id, sending_id, status, attempts, due_at, claimed_by)
    select email_id, contact_id, sending_id,
      case status when 'claimed' then 'sending' else status end, attempts, due_at, claimed_by
    from first_recipients`.execute(db)
}

/** Small ones: they hold what is to be done, not what was done. */
async function addIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('sendings_due').on('sendings').columns(['status', 'due_at']).execute()
  await sql`create index sending_recipients_due on sending_recipients (sending_id, due_at)
    where status = 'queued'`.execute(db)
  await sql`create index sending_recipients_claimed_by on sending_recipients (claimed_by)
    where claimed_by is not null`.execute(db)
}
