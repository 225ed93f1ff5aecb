import type { Migrations } from '../migrate.ts'

/** The data keys, each encrypted by the secret key that `secret_key_id` names. */
export interface DataKeysTable {
  id: string
  /** Sealed by the secret key, in base64. */
  wrapped: string
  secret_key_id: string
  created_at: number
  /** Null for the one that is current. */
  retired_at: number | null
}

export interface KeyringTables {
  data_keys: DataKeysTable
}

export const keyringMigrations: Migrations = {
  async '20261121_00_data_keys'(db) {
    await db.schema
      .createTable('data_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('wrapped', 'text', (column) => column.notNull())
      .addColumn('secret_key_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('retired_at', 'bigint')
      .execute()
  },
}
