import type { Migrations } from '../storage/index.ts'

/** The tables of assignments. What they point to takes them along when it goes. */
export const assignmentMigrations: Migrations = {
  async '20261121_07_assignments'(db) {
    await db.schema
      .createTable('email_transports')
      .addColumn('email_id', 'bigint', (column) =>
        column.primaryKey().references('emails.id').onDelete('cascade'),
      )
      .addColumn('transport_id', 'bigint', (column) =>
        column.references('transports.id').onDelete('set null'),
      )
      .addColumn('use_owner_transport', 'boolean', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('user_transports')
      .addColumn('user_id', 'bigint', (column) =>
        column.primaryKey().references('users.id').onDelete('cascade'),
      )
      .addColumn('transport_id', 'bigint', (column) =>
        column.notNull().references('transports.id').onDelete('cascade'),
      )
      .execute()
    for (const table of ['email_transports', 'user_transports']) {
      await db.schema
        .createIndex(`${table}_transport_id`)
        .on(table)
        .column('transport_id')
        .execute()
    }
  },
}
