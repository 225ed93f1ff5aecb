import { type Generated, type Kysely, sql } from 'kysely'
import { noBrand } from '../../kit/caller.ts'
import type { DatabaseFeatures, Migrations } from '../../platform/storage/index.ts'
import { dropColumns, dropIndexes, hasTable } from '../../platform/storage/index.ts'

/** One captured message. */
export interface InboxRow {
  id: number
  /** Milliseconds since the epoch. */
  captured_at: number
  sender: string
  /** JSON: the recipients of the envelope. */
  recipients: string
  subject: string
  message_id: string | null
  /** The brand of the message; `noBrand` for none. */
  brand_id: number
  /** Null for the operator's default, and for one that is not stored. */
  transport_id: number | null
  /** Its name, as it was then. */
  transport: string | null
  size_bytes: number
  /** The data key that the source is encrypted under. */
  key_id: string
  /** The message as it was captured, encrypted: it is personal data. */
  source: Uint8Array
}

export interface InboxTables {
  inbox_messages: Omit<InboxRow, 'id'> & { id: Generated<number> }
}

/** The captured messages of `inbox://local`. */
export const inboxMigrations: Migrations = {
  async '20261123_05_inbox'(db, database) {
    await database
      .createTableWithId(db, 'inbox_messages')
      .addColumn('captured_at', 'bigint', (column) => column.notNull())
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('recipients', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text')
      .addColumn('transport_id', 'bigint')
      .addColumn('transport', 'text')
      .addColumn('size_bytes', 'bigint', (column) => column.notNull())
      .execute()
    await addInboxSource(db, database)
  },
  /**
   * The search of the inbox, and its messages in pieces. A message is stored in one row, encrypted in another form, so those that
   * were captured before are deleted. The table stays, because ids are never given twice.
   */
  async '20261128_61_inbox'(db, database) {
    if (!(await hasTable(db, 'inbox_pieces'))) return
    await db.schema.dropTable('inbox_pieces').execute()
    await sql`delete from inbox_messages`.execute(db)
    await dropIndexes(db, [
      'inbox_messages_complete',
      'inbox_messages_captured_at',
      'inbox_messages_search_text',
    ])
    await dropColumns(db, 'inbox_messages', ['search_text', 'is_complete'])
    await addInboxSource(db, database)
  },
  async '20261202_17_inbox_of_brands'(db) {
    await db.schema
      .alterTable('inbox_messages')
      .addColumn('brand_id', 'bigint', (column) => column.notNull().defaultTo(noBrand))
      .execute()
    await sql`create index inbox_messages_brand_id on inbox_messages (brand_id, id)
      where brand_id <> 0`.execute(db)
  },
}

/** Adds what the messages of an older database do not have. */
export async function addInboxSource(
  db: Kysely<unknown>,
  { bytesType }: DatabaseFeatures,
): Promise<void> {
  // SQLite adds one column in a statement.
  await sql`alter table inbox_messages add column key_id text`.execute(db)
  await sql`alter table inbox_messages add column source ${bytesType}`.execute(db)
  // For the sum of the sizes, which then reads no message.
  await sql`create index inbox_messages_size on inbox_messages (id, captured_at, size_bytes)`.execute(
    db,
  )
}
