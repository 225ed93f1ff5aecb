import { type ColumnDefinitionBuilder, type Generated, type Kysely, sql } from 'kysely'

/** How far the Do not contact list of a Mautic was read. Times are the database's. */
export interface MauticListRow {
  mautic_id: number
  /** The highest `seq` of its entries. */
  seq: number
  /** The last id that the full reading has read; null if none is in progress. */
  after_id: number | null
  /** When that reading began. */
  started_at: number | null
  /** Since when entries may not have been read; null: the list was never read to its end. */
  read_at: number | null
  /** The last id whose address was read again. */
  address_after: number
  /** How many entries are gone and stay in force for now; see `DoNotContactList`. */
  held: number
}

/** An entry of a Mautic's Do not contact list for email. */
export interface MauticListEntryRow {
  mautic_id: number
  /** Mautic's id. */
  id: number
  contact_id: number
  /** The address of the contact, normalized; empty if it has none. */
  address_key: string
  /** Mautic's number; see `reportReasons`. */
  reason: number
  /** By Mautic's clock. */
  added_at: number
  /** Higher for what was found or changed later. */
  seq: number
  /** Whether Mailyard itself has reported it: it is never applied. */
  is_reported: boolean
  /** Since when a full reading does not find it; null if it is there. */
  missing_since: number | null
}

/** That an address was taken off a Mautic's Do not contact list: what was read before then is out of date. */
export interface MauticListRemovalRow {
  mautic_id: number
  address_key: string
  /** By the database's clock. */
  removed_at: number
}

type ListDefaults = 'seq' | 'address_after' | 'held'

export type ListTables = {
  mautic_lists: Omit<MauticListRow, ListDefaults> & {
    [Column in ListDefaults]: Generated<MauticListRow[Column]>
  }
  mautic_list_entries: MauticListEntryRow
  mautic_list_removals: MauticListRemovalRow
}

/** Creates the tables of the Do not contact lists. */
export async function createLists(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('mautic_domains').addColumn('applied_to', 'bigint', zero).execute()
  await db.schema
    .createTable('mautic_lists')
    .addColumn('mautic_id', 'bigint', (column) => mauticId(column).primaryKey())
    .addColumn('seq', 'bigint', zero)
    .addColumn('after_id', 'bigint')
    .addColumn('started_at', 'bigint')
    .addColumn('read_at', 'bigint')
    .addColumn('address_after', 'bigint', zero)
    .addColumn('held', 'bigint', zero)
    .execute()
  await db.schema
    .createTable('mautic_list_entries')
    .addColumn('mautic_id', 'bigint', mauticId)
    .addColumn('id', 'bigint', notNull)
    .addColumn('contact_id', 'bigint', notNull)
    .addColumn('address_key', 'text', notNull)
    .addColumn('reason', 'bigint', notNull)
    .addColumn('added_at', 'bigint', notNull)
    .addColumn('seq', 'bigint', notNull)
    .addColumn('is_reported', 'boolean', notNull)
    .addColumn('missing_since', 'bigint')
    .addPrimaryKeyConstraint('mautic_list_entries_key', ['mautic_id', 'id', 'contact_id'])
    .execute()
  await db.schema
    .createTable('mautic_list_removals')
    .addColumn('mautic_id', 'bigint', mauticId)
    .addColumn('address_key', 'text', notNull)
    .addColumn('removed_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('mautic_list_removals_key', ['mautic_id', 'address_key'])
    .execute()
  for (const columns of [
    ['mautic_id', 'address_key'],
    ['mautic_id', 'seq'],
  ])
    await db.schema
      .createIndex(['mautic_list_entries', ...columns].join('_'))
      .on('mautic_list_entries')
      .columns(columns)
      .execute()
  await sql`create index mautic_list_entries_missing on mautic_list_entries (mautic_id)
    where missing_since is not null`.execute(db)
}

const notNull = (column: ColumnDefinitionBuilder) => column.notNull()
const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0)
const mauticId = (column: ColumnDefinitionBuilder) =>
  column.notNull().references('mautics.id').onDelete('cascade')
