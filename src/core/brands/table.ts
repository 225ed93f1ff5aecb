import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  createRecordTable,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import type { brandRecord } from './schema.ts'

export interface BrandRow extends RecordRow, ColumnsOf<typeof brandRecord> {}

export type BrandTables = { brands: RecordTable<BrandRow> }

/** The tables whose records may belong to a brand, and what these are called. */
export const ofBrands = [
  { table: 'transports', one: 'transport', many: 'transports' },
  { table: 'twig_templates', one: 'template', many: 'templates' },
  { table: 'emails', one: 'email', many: 'emails' },
  { table: 'contacts', one: 'contact', many: 'contacts' },
  { table: 'limits', one: 'limit', many: 'limits' },
  { table: 'dkim_keys', one: 'DKIM key', many: 'DKIM keys' },
  { table: 'webhooks', one: 'webhook', many: 'webhooks' },
  { table: 'suppressions', one: 'suppression', many: 'suppressions' },
  { table: 'oauth_clients', one: 'OAuth client', many: 'OAuth clients' },
  { table: 'mautics', one: 'Mautic', many: 'Mautics' },
]

export const brandMigrations: Migrations = {
  async '00.01.00_11_brands'(db, database) {
    await createRecordTable(db, database, 'brands')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('domains', 'text', (column) => column.notNull())
      .addColumn('color', 'text', (column) => column.notNull())
      .execute()
    await database.createSearchIndex(db, 'brands')
  },
}
