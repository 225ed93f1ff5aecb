import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  addBrand,
  createRecordTable,
  indexBrands,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import type { contactRecord } from './schema.ts'

export interface ContactRow extends RecordRow, ColumnsOf<typeof contactRecord> {
  email: string | null
  /** The normalized address. */
  email_key: string | null
  /** The brand and the normalized address, which one contact has; null without an address. */
  identity_key: string | null
  /** The id of a user. */
  owner_id: number | null
  /** JSON: the values of the other fields, by alias, without empty ones. */
  field_values: string
  /** A JSON list. */
  tags: string
}

export type ContactTables = {
  contacts: RecordTable<ContactRow>
}

export const contactMigrations: Migrations = {
  async '00.01.00_13_contacts'(db, database) {
    await createRecordTable(db, database, 'contacts')
      .addColumn('email', 'text')
      .addColumn('email_key', 'text')
      .addColumn('identity_key', 'text')
      .addColumn('owner_id', 'bigint', (column) =>
        column.references('users.id').onDelete('set null'),
      )
      .addColumn('points', 'bigint', (column) => column.notNull())
      .addColumn('field_values', 'text', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .$call(addBrand)
      .execute()
    const { schema } = db
    const identity = schema.createIndex('contacts_identity_key').on('contacts').unique()
    await identity.column('identity_key').execute()
    await schema.createIndex('contacts_email_key').on('contacts').column('email_key').execute()
    await schema.createIndex('contacts_owner_id').on('contacts').column('owner_id').execute()
    await indexBrands(db, 'contacts')
    await database.createSearchIndex(db, 'contacts')
  },
}
