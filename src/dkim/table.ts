import type { ColumnsOf } from '../resource/index.ts'
import {
  createRecordTable,
  indexSearchText,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../storage/index.ts'
import type { dkimKeyRecord } from './schema.ts'

export type KeyAlgorithm = 'rsa' | 'ed25519'
export type KeyState = 'waiting' | 'active' | 'missing'

/**
 * The key of a domain, and the one that will replace it. `revision` grows with every change but those of `checked_at` and
 * `check_at`. Times are in milliseconds since the epoch.
 */
export interface DkimKeyRow extends RecordRow, ColumnsOf<typeof dkimKeyRecord> {
  /** Encrypted: PKCS#8 in PEM. */
  private_key: string
  /** What the record has: see `KeyMaterial`. */
  public_key: string
  state: KeyState
  /** When its record was found for the first time. */
  active_at: number | null
  /** Since when the record of an active key is not found. */
  absent_since: number | null
  /** What is wrong with the record, as a sentence. */
  problem: string | null
  /** When the record was looked up last. */
  checked_at: number | null
  /** When it is looked up again. */
  check_at: number
  /** The key that replaces it once its record is found; null for none. */
  next_algorithm: KeyAlgorithm | null
  next_selector: string | null
  /** Encrypted. */
  next_private_key: string | null
  next_public_key: string | null
  next_problem: string | null
  next_added_at: number | null
  /** JSON: see `RemovableRecord`. */
  removable: string
}

/** The record of a key that signs no more. */
export interface RemovableRecord {
  selector: string
  /** When no message is under way that it verifies. */
  from: number
}

export type DkimTables = {
  dkim_keys: RecordTable<DkimKeyRow>
}

export const dkimMigrations: Migrations = {
  async '20261128_10_dkim_keys'(db, database) {
    await createRecordTable(db, database, 'dkim_keys')
      .addColumn('domain', 'text', (column) => column.notNull().unique())
      .addColumn('algorithm', 'text', (column) => column.notNull())
      .addColumn('selector', 'text', (column) => column.notNull())
      .addColumn('private_key', 'text', (column) => column.notNull())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('active_at', 'bigint')
      .addColumn('absent_since', 'bigint')
      .addColumn('problem', 'text')
      .addColumn('checked_at', 'bigint')
      .addColumn('check_at', 'bigint', (column) => column.notNull())
      .addColumn('next_algorithm', 'text')
      .addColumn('next_selector', 'text')
      .addColumn('next_private_key', 'text')
      .addColumn('next_public_key', 'text')
      .addColumn('next_problem', 'text')
      .addColumn('next_added_at', 'bigint')
      .addColumn('removable', 'text', (column) => column.notNull())
      .execute()
    await indexSearchText(db, database, 'dkim_keys')
    const index = db.schema.createIndex('dkim_keys_check_at').on('dkim_keys')
    await index.column('check_at').execute()
  },
}
