import { createRecordTable, type Migrations } from '../storage/index.ts'

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
}
