import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  createRecordTable,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import type { contactRecord } from './schema.ts'

export interface ContactRow extends RecordRow, ColumnsOf<typeof contactRecord> {
  email: string | null
  /** The normalized address. One contact has it. */
  email_key: string | null
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
  async '20261123_03_contacts'(db, database) {
    await createRecordTable(db, database, 'contacts')
      .addColumn('email', 'text')
      .addColumn('email_key', 'text')
      .addColumn('owner_id', 'bigint', (column) =>
        column.references('users.id').onDelete('set null'),
      )
      .addColumn('points', 'bigint', (column) => column.notNull())
      .addColumn('field_values', 'text', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .execute()
    const { schema } = db
    const ofAddress = schema.createIndex('contacts_email_key').on('contacts').column('email_key')
    await ofAddress.unique().execute()
    await schema.createIndex('contacts_owner_id').on('contacts').column('owner_id').execute()
    await database.createSearchIndex(db, 'contacts')
  },
}
