import { createRecordTable, type Migrations } from '../storage/index.ts'
import { mergeDuplicates } from './merge-duplicates.ts'
import type { ContactTables } from './table.ts'

/** The tables of contacts, and of who is in which segment. */
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
    await db.schema
      .createTable('contact_segments')
      .addColumn('segment', 'text', (column) => column.notNull())
      .addColumn('contact_id', 'bigint', (column) =>
        column.notNull().references('contacts.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('contact_segments_key', ['segment', 'contact_id'])
      .execute()
    await db.schema
      .createIndex('contact_segments_contact_id')
      .on('contact_segments')
      .column('contact_id')
      .execute()
    await db.schema.createIndex('contacts_owner_id').on('contacts').column('owner_id').execute()
    // The oldest of an address is asked for. SQLite has the id in every index; PostgreSQL, while it does not
    // know the table, would look for it among all ids.
    const columns = kind === 'sqlite' ? ['email_key'] : ['email_key', 'id']
    await db.schema.createIndex('contacts_email_key').on('contacts').columns(columns).execute()
  },
  /** `sending/` has led its rows to the contacts that stay before this. */
  async '20261122_11_one_contact_per_address'(db) {
    await mergeDuplicates(db.withTables<ContactTables>())
    await db.schema.dropIndex('contacts_email_key').execute()
    await db.schema
      .createIndex('contacts_email_key')
      .on('contacts')
      .column('email_key')
      .unique()
      .execute()
  },
}
