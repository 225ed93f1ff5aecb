import { sql } from 'kysely'
import { indexSearchText, type Migrations } from '../storage/index.ts'

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
  async '20261124_30_inbox_search'(db, database) {
    await indexSearchText(db, database, 'inbox_messages')
  },
  /** The sources move to a table of their own. One from before stays a single piece, however large it is. */
  async '20261124_90_inbox_pieces'(db) {
    await db.schema
      .createTable('inbox_pieces')
      .addColumn('message_id', 'bigint', (column) =>
        column.notNull().references('inbox_messages.id').onDelete('cascade'),
      )
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('inbox_pieces_key', ['message_id', 'number'])
      .execute()
    await sql`insert into inbox_pieces (message_id, number, sealed)
      select id, 0, source from inbox_messages`.execute(db)
    await db.schema.alterTable('inbox_messages').dropColumn('source').execute()
    await db.schema
      .alterTable('inbox_messages')
      .addColumn('is_complete', 'boolean', (column) => column.notNull().defaultTo(true))
      .execute()
    // For the sum of the sizes, and for those that were not completed.
    await db.schema.dropIndex('inbox_messages_size').execute()
    await db.schema
      .createIndex('inbox_messages_complete')
      .on('inbox_messages')
      .columns(['is_complete', 'id', 'size_bytes'])
      .execute()
  },
}
