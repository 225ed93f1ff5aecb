import { createRecordTable, type Migrations } from '../storage/index.ts'

/** The table of contacts. */
export const contactMigrations: Migrations = {
  async '20261121_04_contacts'(db, kind) {
    await createRecordTable(db, kind, 'contacts')
      .addColumn('email', 'text')
      .addColumn('email_key', 'text')
      .addColumn('owner_id', 'bigint', (column) =>
        column.references('users.id').onDelete('set null'),
      )
      .addColumn('points', 'bigint', (column) => column.notNull())
      .addColumn('field_values', 'text', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('segments', 'text', (column) => column.notNull())
      .execute()
    for (const column of ['email_key', 'owner_id']) {
      await db.schema.createIndex(`contacts_${column}`).on('contacts').column(column).execute()
    }
  },
}
