import type { Migrations } from '../storage/index.ts'

/** The transport that an email is sent through. */
export interface EmailTransportRow {
  email_id: number
  transport_id: number | null
  use_owner_transport: boolean
}

/** The transport that emails to the contacts of a user are sent through, if the email uses the transport of the owner. */
export interface UserTransportRow {
  user_id: number
  transport_id: number
}

export type AssignmentTables = {
  email_transports: EmailTransportRow
  user_transports: UserTransportRow
}

/** The tables of assignments. Its row is deleted with an email or a user. */
export const assignmentMigrations: Migrations = {
  async '20261123_07_assignments'(db) {
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
