import { type Kysely, sql } from 'kysely'
import { createTableWithId, type DatabaseKind, type Migrations } from '../storage/index.ts'
import { followMergedContacts } from './jobs/follow-merged-contacts.ts'
import { jobMigrations } from './jobs/migrations.ts'
import { unacknowledged } from './journal/acknowledgements.ts'

/** The tables of deliveries and of the processes that make them, and those of sendings. */
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
    await addUpkeepIndex(db)
    await addFilterIndexes(db, kind)
    await addKeyIndexes(db)
    await db.schema
      .createTable('sending_processes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute()
  },
  ...jobMigrations,
  async '20261122_01_delivery_request_hash'(db) {
    await db.schema.alterTable('deliveries').addColumn('request_hash', 'text').execute()
  },
  async '20261122_02_recipient_attempt'(db) {
    await db.schema.alterTable('sending_recipients').addColumn('attempt', 'text').execute()
  },
  async '20261122_13_delivery_acknowledged'(db) {
    await db.schema.alterTable('deliveries').addColumn('acknowledged_at', 'bigint').execute()
    // Until now, what was accepted was taken for acknowledged.
    await sql`update deliveries set acknowledged_at = started_at
      where ${sql.raw(unacknowledged)} and outcome = 'accepted'`.execute(db)
    await sql`create index deliveries_unacknowledged on deliveries (started_at)
      where ${sql.raw(unacknowledged)}`.execute(db)
    await sql`create index deliveries_acknowledged_at on deliveries (acknowledged_at)
      where acknowledged_at is not null and message_key is not null`.execute(db)
  },
  async '20261122_12_sending_skipped'(db) {
    const skipped = db.schema.alterTable('sendings')
    await skipped
      .addColumn('skipped', 'text', (column) => column.notNull().defaultTo('{}'))
      .execute()
  },
  async '20261122_30_process_rendering'(db) {
    await db.schema.alterTable('sending_processes').addColumn('rendering', 'bigint').execute()
  },
  /** Before `20261122_11_one_contact_per_address` of contacts. */
  '20261122_10_recipients_of_merged_contacts': followMergedContacts,
}

/** It leads upkeep to the keys that will have had their day. */
async function addUpkeepIndex(db: Kysely<unknown>): Promise<void> {
  await sql`create index deliveries_keyed_started_at on deliveries (started_at)
    where message_key is not null and source = 'smtp'`.execute(db)
}

/**
 * One index for each filter of the list, in the order of the list: by time. Each index costs every
 * message that is sent; so one has only the rows that its filter may find.
 */
async function addFilterIndexes(db: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  for (const name of ['contact_id', 'sending_id', 'email_id', 'transport_id', 'member'])
    await addFilterIndex(db, kind, { name, where: `${name} is not null` })
  for (const name of ['recipient_key', 'source']) await addFilterIndex(db, kind, { name })
  const where = "outcome = 'started' or outcome = 'refused' or outcome = 'uncertain'"
  await addFilterIndex(db, kind, { name: 'outcome', where })
  await sql`create index deliveries_time on deliveries (started_at, id)`.execute(db)
}

async function addFilterIndex(
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

/** A key stands for one living message at a time; keys that are not set are in no index. */
async function addKeyIndexes(db: Kysely<unknown>): Promise<void> {
  for (const key of ['message_key', 'bulk_key'])
    await sql`create unique index ${sql.ref(`deliveries_${key}`)} on deliveries (${sql.ref(key)})
      where ${sql.ref(key)} is not null`.execute(db)
}
