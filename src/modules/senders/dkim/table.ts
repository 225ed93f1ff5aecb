import { type Kysely, sql } from 'kysely'
import type { ColumnsOf } from '../../../platform/resource/index.ts'
import {
  columnsOf,
  createRecordTable,
  dropColumns,
  dropIndexes,
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
  async '20261128_10_dkim_keys'(db, database) {
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
      .execute()
    await database.createSearchIndex(db, 'dkim_keys')
    await indexDkimKeys(db)
  },
  async '20261129_30_dkim_keys_of_mautics'(db) {
    await db.schema.alterTable('dkim_keys').addColumn('mautic_id', 'bigint').execute()
    await db.schema.dropIndex('dkim_keys_published').execute()
    await sql`create unique index dkim_keys_published on dkim_keys (domain, coalesce(mautic_id, 0))
      where is_published`.execute(db)
  },
  /**
   * The rotation of DKIM keys. The current key of each domain stays; the next key of a rotation goes, whose record was not found
   * yet: its private half is encrypted for its column.
   */
  async '20261128_73_dkim_keys'(db, database) {
    if (!(await columnsOf(db, 'dkim_keys')).includes('next_selector')) return
    await dropIndexes(db, ['dkim_keys_check_at'])
    const next = ['algorithm', 'selector', 'private_key', 'public_key', 'problem', 'added_at']
    const ofNext = next.map((column) => `next_${column}`)
    await dropColumns(db, 'dkim_keys', ['state', 'check_at', 'removable', ...ofNext])
    await database.dropUnique(db, 'dkim_keys', 'domain')
    await indexDkimKeys(db)
  },
}

/** A selector is of one key, and one key of a domain is published. A later migration lets each Mautic have one. */
export async function indexDkimKeys(db: Kysely<unknown>): Promise<void> {
  const selectors = db.schema.createIndex('dkim_keys_selector').on('dkim_keys').unique()
  await selectors.columns(['domain', 'selector']).execute()
  const published = db.schema.createIndex('dkim_keys_published').on('dkim_keys').unique()
  await published.column('domain').where(sql<boolean>`is_published`).execute()
}
