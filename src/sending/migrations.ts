import { type Kysely, sql } from 'kysely'
import { createTableWithId, type Migrations } from '../storage/index.ts'

/** The tables of deliveries and of the processes that make them. */
export const sendingMigrations: Migrations = {
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
