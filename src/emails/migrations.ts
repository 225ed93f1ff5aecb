import { createRecordTable, type Migrations } from '../storage/index.ts'

/** The table of emails. */
export const emailMigrations: Migrations = {
  async '20261121_03_emails'(db, kind) {
    await createRecordTable(db, kind, 'emails')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('from_address', 'text')
      .addColumn('from_name', 'text')
      .addColumn('reply_to_address', 'text')
      .addColumn('custom_html', 'text')
      .addColumn('plain_text', 'text')
      .addColumn('headers', 'text', (column) => column.notNull())
      .execute()
  },
}
