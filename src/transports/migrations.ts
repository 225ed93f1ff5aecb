import type { Kysely } from 'kysely'
import { nameKey } from '../kit/name-key.ts'
import { createRecordTable, type Migrations } from '../storage/index.ts'
import type { TransportTables } from './table.ts'

/** The table of transports. */
export const transportMigrations: Migrations = {
  async '20261121_05_transports'(db, kind) {
    await createRecordTable(db, kind, 'transports')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('mailer_dsn', 'text', (column) => column.notNull())
      .addColumn('tested_email_from', 'text')
      .execute()
  },
  async '20261122_03_transport_name_key'(db) {
    const { schema } = db
    const keyed = schema.alterTable('transports')
    await keyed.addColumn('name_key', 'text', (column) => column.notNull().defaultTo('')).execute()
    await fillNameKeys(db)
    await schema.createIndex('transports_name_key').on('transports').column('name_key').execute()
  },
  // With the id, the first of many that share a name is found without reading the others.
  async '20261123_10_transport_name_key_id'({ schema }) {
    await schema.dropIndex('transports_name_key').execute()
    const index = schema.createIndex('transports_name_key_id').on('transports')
    await index.columns(['name_key', 'id']).execute()
  },
}

/** Not in SQL: the databases differ in what a small letter is. */
async function fillNameKeys(db: Kysely<TransportTables>): Promise<void> {
  const rows = await db.selectFrom('transports').select(['id', 'name']).execute()
  for (const { id, name } of rows) {
    const update = db.updateTable('transports').set({ name_key: nameKey(name) })
    await update.where('id', '=', id).execute()
  }
}
