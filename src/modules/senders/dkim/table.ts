import { sql } from 'kysely'
import type { ColumnsOf } from '../../../platform/resource/index.ts'
import {
  addBrand,
  createRecordTable,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../../platform/storage/index.ts'
import type { dkimKeyRecord } from './schema.ts'

export type KeyAlgorithm = 'rsa' | 'ed25519'

/**
 * A key of a domain. It signs the messages of its brand, or, without one, those without a brand. At most one of a domain is
 * published for each of them: it signs once its record was found. `revision` grows with every change but those of `checked_at`.
 * Times are in milliseconds since the epoch.
 */
export interface DkimKeyRow extends RecordRow, ColumnsOf<typeof dkimKeyRecord> {
  /** Encrypted: PKCS#8 in PEM. */
  private_key: string
  /** What the record has: see `KeyMaterial`. */
  public_key: string
  /** When its record was found for the first time. */
  active_at: number | null
  /** Since when look-ups do not find a record that was found before. */
  absent_since: number | null
  /** What is wrong with the record, as a sentence. */
  problem: string | null
  /** When the record was looked up last. */
  checked_at: number | null
}

export type DkimTables = {
  dkim_keys: RecordTable<DkimKeyRow>
}

export const dkimMigrations: Migrations = {
  async '00.01.00_45_dkim_keys'(db, database) {
    await createRecordTable(db, database, 'dkim_keys')
      .addColumn('domain', 'text', (column) => column.notNull())
      .addColumn('algorithm', 'text', (column) => column.notNull())
      .addColumn('selector', 'text', (column) => column.notNull())
      .addColumn('private_key', 'text', (column) => column.notNull())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('active_at', 'bigint')
      .addColumn('absent_since', 'bigint')
      .addColumn('problem', 'text')
      .addColumn('checked_at', 'bigint')
      .$call(addBrand)
      .execute()
    const selectors = db.schema.createIndex('dkim_keys_selector').on('dkim_keys').unique()
    await selectors.columns(['domain', 'selector']).execute()
    const published = db.schema.createIndex('dkim_keys_published').on('dkim_keys').unique()
    await published.columns(['domain', 'brand_id']).where(sql<boolean>`is_published`).execute()
    await database.createSearchIndex(db, 'dkim_keys')
  },
}
