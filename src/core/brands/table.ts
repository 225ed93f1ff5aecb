import { type Kysely, sql } from 'kysely'
import { systemClock } from '../../kit/clock.ts'
import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  createRecordTable,
  dropColumns,
  dropIndexes,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import { type brandRecord, colorOf } from './schema.ts'

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
/** Those whose records belonged to a Mautic. */
const ofMautics = ['transports', 'twig_templates', 'dkim_keys', 'deleted_records']

export const brandMigrations: Migrations = {
  async '20261202_10_brands'(db, database) {
    await createRecordTable(db, database, 'brands')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('domains', 'text', (column) => column.notNull())
      .addColumn('color', 'text', (column) => column.notNull())
      .execute()
    await database.createSearchIndex(db, 'brands')
    for (const table of [...ofBrands.map((each) => each.table), 'deleted_records'])
      await db.schema
        .alterTable(table)
        .addColumn('brand_id', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute()
    // What a brand has is counted before it is deleted.
    for (const table of ['emails', 'contacts', 'suppressions'])
      await sql`create index ${sql.ref(`${table}_brand_id`)} on ${sql.table(table)} (brand_id, id)
        where brand_id <> 0`.execute(db)
    await createBrandsOfMautics(db)
    await dropIndexes(db, ['twig_templates_names', 'dkim_keys_published'])
    for (const table of ofMautics) await dropColumns(db, table, ['mautic_id'])
    const names = db.schema.createIndex('twig_templates_names').on('twig_templates')
    await names.columns(['name_key', 'brand_id', 'is_published', 'id']).execute()
    const published = db.schema.createIndex('dkim_keys_published').on('dkim_keys').unique()
    await published.columns(['domain', 'brand_id']).where(sql<boolean>`is_published`).execute()
  },
}

/** The tables as they were before this migration. */
type EarlierTables = {
  brands: Omit<RecordTable<BrandRow>, 'id'> & { id: number }
  mautics: { id: number; name: string; brand_id: number }
  deleted_records: { kind: string; id: number; record: string; brand_id: number }
}

/**
 * A Mautic with records of its own becomes a brand of its name, with the domains of From and of the envelope that it has used;
 * `sender_uses` has those of 30 days. The records of a deleted Mautic get an unpublished brand, so that no one uses them.
 */
async function createBrandsOfMautics(db: Kysely<unknown>): Promise<void> {
  const owners = sql.join(
    ofMautics.map((table) => sql`select mautic_id from ${sql.table(table)}`),
    sql` union `,
  )
  const { rows } = await sql<{ id: number; name: string | null }>`
    select owners.mautic_id as id, mautics.name from (${owners}) as owners
    left join mautics on mautics.id = owners.mautic_id
    where owners.mautic_id is not null order by owners.mautic_id`.execute(db)
  for (const mautic of rows) await createBrandOf(mautic, db.withTables<EarlierTables>())
  await renameInDeletedRecords(db.withTables<EarlierTables>())
}

async function createBrandOf(
  { id, name }: { id: number; name: string | null },
  db: Kysely<EarlierTables>,
): Promise<void> {
  const { rows } = await sql<{ domain: string }>`
    select domain from sender_uses where mautic_id = ${id}
    union select other_envelope from sender_uses
      where mautic_id = ${id} and other_envelope is not null
    order by domain`.execute(db)
  const brand = {
    name: name ?? `Mautic ${id} (deleted)`,
    description: null,
    domains: JSON.stringify(rows.map(({ domain }) => domain)),
    color: colorOf(name ?? ''),
    is_published: name !== null,
    date_added: systemClock.now(),
    date_modified: null,
    created_by: 'Mailyard',
    created_by_id: null,
    modified_by: null,
    modified_by_id: null,
    revision: 1,
    search_text: name ?? '',
  }
  const insert = db.insertInto('brands').values(brand as never)
  const { id: brandId } = await insert.returning('id').executeTakeFirstOrThrow()
  for (const table of ofMautics)
    await sql`update ${sql.table(table)} set brand_id = ${brandId} where mautic_id = ${id}`.execute(
      db,
    )
  await db.updateTable('mautics').set({ brand_id: brandId }).where('id', '=', id).execute()
}

const rowsPerPage = 200

async function renameInDeletedRecords(db: Kysely<EarlierTables>): Promise<void> {
  const query = db.selectFrom('deleted_records').select(['kind', 'id', 'record', 'brand_id'])
  for (let start = 0; ; start += rowsPerPage) {
    const rows = await query
      .orderBy('kind')
      .orderBy('id')
      .limit(rowsPerPage)
      .offset(start)
      .execute()
    for (const { kind, id, record, brand_id } of rows) {
      const { mautic_id: _owner, ...row } = JSON.parse(record) as { mautic_id?: number | null }
      const update = db.updateTable('deleted_records').where('kind', '=', kind)
      const changed = JSON.stringify({ ...row, brand_id })
      await update.set({ record: changed }).where('id', '=', id).execute()
    }
    if (rows.length < rowsPerPage) return
  }
}
