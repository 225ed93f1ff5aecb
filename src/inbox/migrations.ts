import { createTableWithId, indexSearchText, type Migrations } from '../storage/index.ts'

/** The captured messages of `inbox://local`. */
export const inboxMigrations: Migrations = {
  async '20261123_05_inbox'(db, kind) {
    await createTableWithId(db, kind, 'inbox_messages')
      .addColumn('captured_at', 'bigint', (column) => column.notNull())
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('recipients', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text')
      .addColumn('transport_id', 'bigint')
      .addColumn('transport', 'text')
      .addColumn('size_bytes', 'bigint', (column) => column.notNull())
      .addColumn('search_text', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .execute()
    // For the sum of the sizes, which then reads no message.
    await db.schema
      .createIndex('inbox_messages_size')
      .on('inbox_messages')
      .columns(['id', 'size_bytes'])
      .execute()
    await db.schema
      .createIndex('inbox_messages_captured_at')
      .on('inbox_messages')
      .column('captured_at')
      .execute()
  },
  async '20261124_30_inbox_search'(db, kind) {
    await indexSearchText(db, kind, 'inbox_messages')
  },
}
