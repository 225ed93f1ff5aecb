import { createRecordTable, type Migrations } from '../storage/index.ts'

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
}
