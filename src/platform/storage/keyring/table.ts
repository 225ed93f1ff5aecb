import type { Migrations } from '../migrate.ts'

/** The data keys, each wrapped by the secret key that `secret_key_id` names. */
export interface DataKeysTable {
  id: string
  /** Sealed with the wrapping key, in base64. */
  wrapped: string
  secret_key_id: string
  created_at: number
  /** Null for the current key. */
  retired_at: number | null
}

/** A key for links and the like, encrypted with a data key. */
export interface SigningKeysTable {
  purpose: string
  /** See `Sealer.seal`. */
  sealed: string
}

export interface KeyringTables {
  data_keys: DataKeysTable
  signing_keys: SigningKeysTable
}

export const keyringMigrations: Migrations = {
  async '00.01.00_00_data_keys'(db) {
    await db.schema
      .createTable('data_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('wrapped', 'text', (column) => column.notNull())
      .addColumn('secret_key_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('retired_at', 'bigint')
      .execute()
    await db.schema
      .createTable('signing_keys')
      .addColumn('purpose', 'text', (column) => column.primaryKey())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute()
  },
}
