import { sql } from 'kysely'
import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  addBrand,
  createRecordTable,
  indexBrands,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import type { emailRecord } from './schema.ts'

export interface EmailRow extends RecordRow, ColumnsOf<typeof emailRecord> {}

export type EmailTables = {
  emails: RecordTable<EmailRow>
}

/** Whether an email may have the header X-Mailyard-Transport. Queries use the index if they have it word for word. */
export const namesTransport = "lower(headers) like '%x-mailyard-transport%'"

export const emailMigrations: Migrations = {
  async '00.01.00_12_emails'(db, database) {
    await createRecordTable(db, database, 'emails')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('from_address', 'text')
      .addColumn('from_name', 'text')
      .addColumn('reply_to_address', 'text')
      .addColumn('custom_html', 'text')
      .addColumn('plain_text', 'text')
      .addColumn('headers', 'text', (column) => column.notNull())
      .addColumn('is_twig', 'boolean', (column) => column.notNull())
      .$call(addBrand)
      .execute()
    // The few emails that name a transport; reading the headers of all would read their whole texts.
    await sql`create index emails_naming_transport on emails (id)
      where ${sql.raw(namesTransport)}`.execute(db)
    await indexBrands(db, 'emails')
    await database.createSearchIndex(db, 'emails')
  },
}
