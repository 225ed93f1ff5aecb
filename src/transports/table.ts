import { sql } from 'kysely'
import type { ColumnsOf, MauticOwned } from '../resource/index.ts'
import {
  createRecordTable,
  indexSearchText,
  type Migrations,
  type RecordTable,
} from '../storage/index.ts'
import type { transportRecord } from './schema.ts'

export interface TransportRow extends MauticOwned, ColumnsOf<typeof transportRecord> {
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
  /** The stage that failed; null where it passed, and for a test of an earlier version. */
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
  async '20261123_04_transports'(db, database) {
    await createRecordTable(db, database, 'transports')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('mailer_dsn', 'text', (column) => column.notNull())
      .addColumn('tested_email_from', 'text')
      .addColumn('mautic_id', 'bigint')
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
      .execute()
  },
  async '20261124_30_transport_search'(db, database) {
    await indexSearchText(db, database, 'transports')
  },
  async '20261124_41_public_only'(db) {
    await db.schema
      .alterTable('transports')
      .addColumn('is_public_only', 'boolean', (column) => column.notNull().defaultTo(false))
      .execute()
    // Who wrote the DSN was not stored. Users of Mailyard have ids; callers of a Mautic have none.
    await sql`update transports set is_public_only = ${sql.lit(true)}
      where mautic_id is not null and created_by_id is null`.execute(db)
  },
  async '20261126_10_refresh_tokens'(db) {
    await db.schema
      .createTable('refresh_tokens')
      .addColumn('grant_key', 'text', (column) => column.primaryKey())
      .addColumn('sealed_token', 'text', (column) => column.notNull())
      .addColumn('rotated_at', 'bigint', (column) => column.notNull())
      .execute()
    const index = db.schema.createIndex('refresh_tokens_rotated_at').on('refresh_tokens')
    await index.column('rotated_at').execute()
  },
  async '20261126_41_kept_tests'(db) {
    await db.schema.alterTable('transport_tests').addColumn('stage', 'text').execute()
  },
}
