import { sql } from 'kysely'
import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  addBrand,
  createRecordTable,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import type { transportRecord } from './schema.ts'

export interface TransportRow extends RecordRow, ColumnsOf<typeof transportRecord> {
  /** See `nameKey`. */
  name_key: string
  /** Encrypted by the keyring: it holds credentials. */
  mailer_dsn: string
  /**
   * Whether a caller of a Mautic wrote the DSN: it connects to public addresses only, whatever the configuration allows, and
   * its server's refusals suppress no address.
   */
  is_public_only: boolean
}

/** The last test message through a transport. */
export interface TransportTestRow {
  transport_id: number
  tested_at: number
  tested_by: string | null
  success: boolean
  message: string
  duration_ms: number
  /** The stage that failed; null where it passed. */
  stage: string | null
}

/** The refresh token that replaced the one of a DSN. */
export interface RefreshTokenRow {
  /** See `RefreshTokenStore`. */
  grant_key: string
  /** Encrypted by the keyring. */
  sealed_token: string
  /** When it was stored. */
  rotated_at: number
}

export type TransportTables = {
  refresh_tokens: RefreshTokenRow
  transport_tests: TransportTestRow
  transports: RecordTable<TransportRow>
}

/** The tables of transports, their last tests and their refresh tokens. */
export const transportMigrations: Migrations = {
  async '00.01.00_14_transports'(db, database) {
    await createRecordTable(db, database, 'transports')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('mailer_dsn', 'text', (column) => column.notNull())
      .addColumn('tested_email_from', 'text')
      .addColumn('is_public_only', 'boolean', (column) => column.notNull().defaultTo(false))
      .$call(addBrand)
      .execute()
    // With the id, the first of many that share a name is found without reading the others.
    const index = db.schema.createIndex('transports_name_key_id').on('transports')
    await index.columns(['name_key', 'id']).execute()
    // The expression that lists are ordered by.
    await sql`create index transports_name_order on transports (lower(coalesce(name, '')), id)`.execute(
      db,
    )
    await db.schema
      .createTable('transport_tests')
      .addColumn('transport_id', 'bigint', (column) =>
        column.primaryKey().references('transports.id').onDelete('cascade'),
      )
      .addColumn('tested_at', 'bigint', (column) => column.notNull())
      .addColumn('tested_by', 'text')
      .addColumn('success', 'boolean', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addColumn('duration_ms', 'bigint', (column) => column.notNull())
      .addColumn('stage', 'text')
      .execute()
    await database.createSearchIndex(db, 'transports')
    await db.schema
      .createTable('refresh_tokens')
      .addColumn('grant_key', 'text', (column) => column.primaryKey())
      .addColumn('sealed_token', 'text', (column) => column.notNull())
      .addColumn('rotated_at', 'bigint', (column) => column.notNull())
      .execute()
    const rotatedAt = db.schema.createIndex('refresh_tokens_rotated_at').on('refresh_tokens')
    await rotatedAt.column('rotated_at').execute()
  },
}
