import type { Kysely } from 'kysely'
import { nameKey } from '../kit/name-key.ts'
import { createRecordTable, type Migrations } from '../storage/index.ts'
import type { TemplateTables } from './table.ts'

/** The tables of Twig templates and their versions. */
export const templateMigrations: Migrations = {
  async '20261121_06_twig_templates'(db, kind) {
    await createRecordTable(db, kind, 'twig_templates')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('template', 'text', (column) => column.notNull())
      .addColumn('refers_to', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('twig_templates_name').on('twig_templates').column('name').execute()
    await db.schema
      .createTable('twig_template_versions')
      .addColumn('template_id', 'bigint', (column) =>
        column.notNull().references('twig_templates.id').onDelete('cascade'),
      )
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('template', 'text', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .addColumn('saved_by', 'text', (column) => column.notNull())
      .addColumn('note', 'text')
      .addPrimaryKeyConstraint('twig_template_versions_key', ['template_id', 'version'])
      .execute()
  },
  async '20261122_12_twig_template_name_key'(db) {
    const { schema } = db
    const keyed = schema.alterTable('twig_templates')
    await keyed.addColumn('name_key', 'text', (column) => column.notNull().defaultTo('')).execute()
    await fillNameKeys(db.withTables<TemplateTables>())
    await schema.dropIndex('twig_templates_name').execute()
    await schema
      .createIndex('twig_templates_name_key')
      .on('twig_templates')
      .column('name_key')
      .execute()
  },
}

/** Not in SQL: the databases differ in what a small letter is. */
async function fillNameKeys(db: Kysely<TemplateTables>): Promise<void> {
  const rows = await db.selectFrom('twig_templates').select(['id', 'name']).execute()
  for (const { id, name } of rows) {
    const update = db.updateTable('twig_templates').set({ name_key: nameKey(name) })
    await update.where('id', '=', id).execute()
  }
}
