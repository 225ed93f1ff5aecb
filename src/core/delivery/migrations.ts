import { type Kysely, sql } from 'kysely'
import { addBrand, type DatabaseFeatures, type Migrations } from '../../platform/storage/index.ts'
import { createDeliveryCounts } from './counts-table.ts'
import { deliveryOutcomes } from './outcomes.ts'
import { deliveriesByMonth, deliveryEventsByMonth, isRefusal } from './table.ts'

/** The tables of deliveries with their counts, and of the processes that make them. */
export const deliveryMigrations: Migrations = {
  async '00.01.00_30_deliveries'(db, database) {
    await createDeliveries(db, database)
    await addFilterIndexes(db, database)
    await createDeliveryEvents(db, database)
    await createKeys(db, database)
    await createDeliveryCounts(db, database)
    await db.schema
      .createTable('delivery_processes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('host', 'text')
      .addColumn('pid', 'bigint')
      .addColumn('version', 'text')
      .addColumn('started_at', 'bigint')
      .execute()
  },
}

/** The key finds the events of a delivery, and those that are repeated. */
async function createDeliveryEvents(
  db: Kysely<unknown>,
  database: DatabaseFeatures,
): Promise<void> {
  await database.createTableByMonth(db, deliveryEventsByMonth, (table) =>
    table
      .addColumn('delivery_id', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('transport_id', 'bigint', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('class', 'text')
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('is_guess', 'boolean', (column) => column.notNull())
      .addColumn('is_first', 'boolean', (column) => column.notNull())
      .addColumn('event_key', 'text', (column) => column.notNull()),
  )
  await sql`create unique index delivery_events_once
    on delivery_events (delivery_id, started_at, event_key)`.execute(db)
}

async function createDeliveries(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await database.createTableByMonth(db, deliveriesByMonth, (table) =>
    table
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('duration_ms', 'bigint')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('caller', 'text', (column) => column.notNull())
      .addColumn('email_id', 'bigint')
      .addColumn('contact_id', 'bigint')
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('recipient_key', database.bytewiseTextType, (column) => column.notNull())
      .addColumn('transport_id', 'bigint', (column) => column.notNull())
      .addColumn('transport', 'text')
      .addColumn('member', 'text')
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('reply', 'text')
      .addColumn('reason', 'text')
      .addColumn('message_id', 'text')
      .addColumn('provider_id', 'text')
      .addColumn('process_id', 'text', (column) => column.notNull())
      .addColumn('trace', 'text', (column) => column.notNull())
      .addColumn('request_hash', 'text')
      .addColumn('mautic_id', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('is_bounced', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('subject', 'text')
      .addColumn('event', 'text')
      .addColumn('is_bulk', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('class', 'text')
      .$call(addBrand),
  )
}

/**
 * The keys of messages, in a table of their own: a unique index of a partitioned table must contain the time. The second
 * index finds keys that are due, and the keys of a delivery.
 */
async function createKeys(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  const table = db.schema
    .createTable('delivery_keys')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('delivery_id', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('acknowledged_at', 'bigint')
  await database.clustered(table).execute()
  await db.schema
    .createIndex('delivery_keys_delivery')
    .on('delivery_keys')
    .columns(['kind', 'started_at', 'delivery_id'])
    .execute()
  await sql`create index delivery_keys_acknowledged_at on delivery_keys (acknowledged_at)
    where acknowledged_at is not null`.execute(db)
}

/**
 * One index for each filter of the list, in the order of the list: by time. Each index costs time for every
 * message that is sent, so it has only the rows that its filter can find.
 */
async function addFilterIndexes(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  for (const name of ['member', 'event'])
    await addFilterIndex(db, database, { name, where: `${name} is not null` })
  // Their ids are those of one Mautic, or Mailyard's own.
  for (const name of ['contact_id', 'email_id'])
    await addFilterIndex(db, database, {
      name,
      columns: ['mautic_id', name],
      where: `${name} is not null`,
    })
  for (const name of ['mautic_id', 'brand_id'])
    await addFilterIndex(db, database, { name, where: `${name} <> 0` })
  for (const name of ['transport_id', 'recipient_key', 'source'])
    await addFilterIndex(db, database, { name })
  // SQLite finds an outcome among alternatives, and not in a list.
  const rare = deliveryOutcomes.filter((each) => each !== 'accepted')
  const isRare = rare.map((each) => `outcome = '${each}'`).join(' or ')
  await addFilterIndex(db, database, { name: 'outcome', where: isRare })
  await addFilterIndex(db, database, { name: 'refusals', columns: ['mautic_id'], where: isRefusal })
  await sql`create index deliveries_time on deliveries (started_at, id)`.execute(db)
}

async function addFilterIndex(
  db: Kysely<unknown>,
  database: DatabaseFeatures,
  { name, columns = [name], where }: { name: string; columns?: string[]; where?: string },
): Promise<void> {
  const keys = sql.join(columns.map((each) => sql.ref(each)))
  const only = where === undefined ? sql`` : sql` where ${sql.raw(where)}`
  await sql`create index ${sql.ref(`deliveries_${name}`)}
    on deliveries (${keys}, started_at${database.indexedId})${only}`.execute(db)
}
