import type { Generated } from 'kysely'
import { addBrand, indexBrands, type Migrations } from '../../platform/storage/index.ts'

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
  async '00.01.00_16_inbox'(db, database) {
    await database
      .createTableWithId(db, 'inbox_messages')
      .addColumn('captured_at', 'bigint', (column) => column.notNull())
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('recipients', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text')
      .$call(addBrand)
      .addColumn('transport_id', 'bigint')
      .addColumn('transport', 'text')
      .addColumn('size_bytes', 'bigint', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('source', database.bytesType, (column) => column.notNull())
      .execute()
    // For the sum of the sizes, which then reads no message.
    await db.schema
      .createIndex('inbox_messages_size')
      .on('inbox_messages')
      .columns(['id', 'captured_at', 'size_bytes'])
      .execute()
    await indexBrands(db, 'inbox_messages')
  },
}
