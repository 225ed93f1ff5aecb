import {
  createRecordTable,
  indexSearchText,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../storage/index.ts'

/** Why no email is sent to an address. */
export type SuppressionReason = 'unsubscribed' | 'bounced' | 'complained' | 'manual'

/** An address that gets no emails: from one sender domain, or from any. */
export interface SuppressionRow extends RecordRow {
  address: string
  /** See `emailKey`. */
  address_key: string
  /** Null for every sender. */
  sender_domain: string | null
  /** Sender domain and address: one suppression has it. See `identityKey`. */
  identity_key: string
  reason: SuppressionReason
  /** Where it comes from, such as `delivery 12`; null if that is not known. */
  source: string | null
}

export type SuppressionTables = {
  suppressions: RecordTable<SuppressionRow>
}

/** The table of suppressions. */
export const suppressionMigrations: Migrations = {
  async '20261123_09_suppressions'(db, kind) {
    await createRecordTable(db, kind, 'suppressions')
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('address_key', 'text', (column) => column.notNull())
      .addColumn('sender_domain', 'text')
      .addColumn('identity_key', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('source', 'text')
      .execute()
    const { schema } = db
    const identity = schema.createIndex('suppressions_identity_key').on('suppressions').unique()
    await identity.column('identity_key').execute()
    const address = schema.createIndex('suppressions_address_key').on('suppressions')
    await address.column('address_key').execute()
  },
  async '20261124_30_suppression_search'(db, kind) {
    await indexSearchText(db, kind, 'suppressions')
  },
}
