import { createRecordTable, type Migrations } from '../storage/index.ts'

/** The table of Twig templates. */
export const templateMigrations: Migrations = {
  async '20261121_06_twig_templates'(db, kind) {
    await createRecordTable(db, kind, 'twig_templates')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('template', 'text', (column) => column.notNull())
      .execute()
  },
}
