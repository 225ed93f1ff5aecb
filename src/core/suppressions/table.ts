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
import type { suppressionRecord } from './schema.ts'

/** An address that gets no emails: from one sender domain, or from any. */
export interface SuppressionRow extends RecordRow, ColumnsOf<typeof suppressionRecord> {
  /** See `emailKey`. */
  address_key: string
  /** Brand or sender domain, and address: one suppression has it. See `identityKey`. */
  identity_key: string
  /** The transport and the delivery that found a bounce; null if there is none. */
  transport_id: number | null
  delivery_id: number | null
}

export type SuppressionTables = {
  suppressions: RecordTable<SuppressionRow>
}

export const suppressionMigrations: Migrations = {
  async '00.01.00_23_suppressions'(db, database) {
    await createRecordTable(db, database, 'suppressions')
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('address_key', 'text', (column) => column.notNull())
      .addColumn('sender_domain', 'text')
      .addColumn('identity_key', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('source', 'text')
      .addColumn('transport_id', 'bigint')
      .addColumn('delivery_id', 'bigint')
      .$call(addBrand)
      .execute()
    const { schema } = db
    const identity = schema.createIndex('suppressions_identity_key').on('suppressions').unique()
    await identity.column('identity_key').execute()
    const address = schema.createIndex('suppressions_address_key').on('suppressions')
    await address.column('address_key').execute()
    await sql`create index "suppressions_transport_id" on suppressions ("transport_id")
      where "transport_id" is not null`.execute(db)
    await indexBrands(db, 'suppressions')
    await database.createSearchIndex(db, 'suppressions')
  },
}
