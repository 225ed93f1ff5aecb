import { type Kysely, sql } from 'kysely'
import { createTableWithId, type Migrations } from '../storage/index.ts'
import { deliveryMigrations } from './deliveries/migrations.ts'
import { jobMigrations } from './jobs/migrations.ts'

/** The tables of deliveries and of the processes that make them. */
export const sendingMigrations: Migrations = {
  ...jobMigrations,
  ...deliveryMigrations,
  async '20261121_08_deliveries'(db, kind) {
    await createTableWithId(db, kind, 'deliveries')
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('duration_ms', 'bigint')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('caller', 'text', (column) => column.notNull())
      .addColumn('email_id', 'bigint')
      .addColumn('contact_id', 'bigint')
      .addColumn('sending_id', 'bigint')
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('recipient_key', 'text', (column) => column.notNull())
      .addColumn('transport_id', 'bigint')
      .addColumn('transport', 'text')
      .addColumn('member', 'text')
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('is_permanent', 'boolean')
      .addColumn('reply', 'text')
      .addColumn('reason', 'text')
      .addColumn('message_id', 'text')
      .addColumn('provider_id', 'text')
      .addColumn('message_key', 'text')
      .addColumn('bulk_key', 'text')
      .addColumn('process_id', 'text', (column) => column.notNull())
      .addColumn('trace', 'text', (column) => column.notNull())
      .execute()
    await addDeliveryIndexes(db)
    await db.schema
      .createTable('sending_processes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute()
  },
  async '20261121_09_sendings'(db, kind) {
    await createTableWithId(db, kind, 'sendings')
      .addColumn('email_id', 'bigint', (column) =>
        column.notNull().references('emails.id').onDelete('cascade'),
      )
      .addColumn('caller', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('segment', 'text')
      .addColumn('is_prepared', 'boolean', (column) => column.notNull())
      .addColumn('prepared_to', 'bigint', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('total', 'bigint', (column) => column.notNull())
      .addColumn('accepted', 'bigint', (column) => column.notNull())
      .addColumn('refused', 'bigint', (column) => column.notNull())
      .addColumn('uncertain', 'bigint', (column) => column.notNull())
      .addColumn('idempotency_key', 'text', (column) => column.unique())
      .execute()
    await db.schema
      .createTable('sending_recipients')
      .addColumn('sending_id', 'bigint', (column) =>
        column.notNull().references('sendings.id').onDelete('cascade'),
      )
      .addColumn('contact_id', 'bigint', (column) =>
        column.notNull().references('contacts.id').onDelete('cascade'),
      )
      .addColumn('email_id', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'bigint', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('claimed_by', 'text')
      .addColumn('finished_at', 'bigint')
      .addPrimaryKeyConstraint('sending_recipients_key', ['sending_id', 'contact_id'])
      .execute()
    await addSendingIndexes(db)
  },
}

async function addSendingIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('sendings_status').on('sendings').column('status').execute()
  const recipients = (name: string, columns: string[]) =>
    db.schema
      .createIndex(`sending_recipients_${name}`)
      .on('sending_recipients')
      .columns(columns)
      .execute()
  await recipients('due', ['sending_id', 'status', 'due_at'])
  await recipients('once', ['email_id', 'contact_id'])
  await recipients('contact', ['contact_id'])
  await recipients('finished', ['sending_id', 'finished_at'])
}

/** Each filter of the list reads newest first; a key stands for one living message at a time. */
async function addDeliveryIndexes(db: Kysely<unknown>): Promise<void> {
  for (const column of [
    'email_id',
    'contact_id',
    'sending_id',
    'recipient_key',
    'transport_id',
    'outcome',
  ]) {
    await db.schema
      .createIndex(`deliveries_${column}`)
      .on('deliveries')
      .columns([column, 'id'])
      .execute()
  }
  await db.schema
    .createIndex('deliveries_started_at')
    .on('deliveries')
    .column('started_at')
    .execute()
  await db.schema
    .createIndex('deliveries_keyed_started_at')
    .on('deliveries')
    .column('started_at')
    .where(sql.ref('message_key'), 'is not', null)
    .execute()
  for (const column of ['message_key', 'bulk_key']) {
    await db.schema
      .createIndex(`deliveries_${column}`)
      .on('deliveries')
      .column(column)
      .unique()
      .execute()
  }
}
