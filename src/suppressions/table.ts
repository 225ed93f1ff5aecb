import { sql } from 'kysely'
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
  /** The transport and the delivery that found a bounce; null if there is none. */
  transport_id: number | null
  delivery_id: number | null
}

export type SuppressionTables = {
  suppressions: RecordTable<SuppressionRow>
}

/** The table of suppressions. */
export const suppressionMigrations: Migrations = {
  async '20261123_09_suppressions'(db, database) {
    await createRecordTable(db, database, 'suppressions')
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
  async '20261124_30_suppression_search'(db, database) {
    await indexSearchText(db, database, 'suppressions')
  },
  async '20261124_73_suppression_evidence'(db) {
    for (const column of ['transport_id', 'delivery_id'])
      await sql`alter table suppressions add column ${sql.ref(column)} bigint`.execute(db)
    const column = sql.ref('transport_id')
    await sql`create index ${sql.ref('suppressions_transport_id')} on suppressions (${column})
      where ${column} is not null`.execute(db)
  },
}
