import {
  createRecordTable,
  indexSearchText,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../storage/index.ts'

export interface ContactRow extends RecordRow {
  email: string | null
  /** The normalized address. One contact has it. */
  email_key: string | null
  /** The id of a user. */
  owner_id: number | null
  points: number
  /** JSON: the values of the other fields, by alias, without empty ones. */
  field_values: string
  /** JSON lists. */
  tags: string
  segments: string
}

/** A contact in a segment. */
export interface ContactSegmentRow {
  segment: string
  contact_id: number
}

export type ContactTables = {
  contact_segments: ContactSegmentRow
  contacts: RecordTable<ContactRow>
}

/** The tables of contacts, and of the segments that each contact is in. */
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
    const { schema } = db
    const ofAddress = schema.createIndex('contacts_email_key').on('contacts').column('email_key')
    await ofAddress.unique().execute()
    await schema.createIndex('contacts_owner_id').on('contacts').column('owner_id').execute()
    const ofContact = schema.createIndex('contact_segments_contact_id').on('contact_segments')
    await ofContact.column('contact_id').execute()
  },
  async '20261124_30_contact_search'(db, database) {
    await indexSearchText(db, database, 'contacts')
  },
}
