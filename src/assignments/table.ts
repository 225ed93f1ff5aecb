import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Migrations } from '../storage/index.ts'

/** The transport that an email is sent through. */
export interface EmailTransportRow {
  email_id: number
  transport_id: number | null
  use_owner_transport: boolean
  /** The transport that was assigned until it was deleted. It is assigned again when it is restored. */
  deleted_transport_id: number | null
}

/** The transport that emails to the contacts of a user are sent through, if the email uses the transport of the owner. */
export interface UserTransportRow {
  user_id: number
  transport_id: number
}

/** The assignments of emails and users of a Mautic have its id. */
interface OfMautic {
  mautic_id: number
}

export type AssignmentTables = {
  email_transports: EmailTransportRow
  user_transports: UserTransportRow
  mautic_email_transports: EmailTransportRow & OfMautic
  mautic_user_transports: UserTransportRow & OfMautic
}

/** The tables of assignments. Its row is deleted with an email or a user. */
export const assignmentMigrations: Migrations = {
  async '20261123_07_assignments'(db) {
    await createEmailTransports(db, 'email_transports')
      .addColumn('email_id', 'bigint', (column) =>
        column.primaryKey().references('emails.id').onDelete('cascade'),
      )
      .execute()
    await createUserTransports(db, 'user_transports')
      .addColumn('user_id', 'bigint', (column) =>
        column.primaryKey().references('users.id').onDelete('cascade'),
      )
      .execute()
    await addIndexes(db, 'email_transports', 'user_transports')
  },
  /**
   * The rows are deleted with the Mautic. They refer to no row of its emails and users: one that a synchronization does not
   * see, because its log-in has lost a permission for a while, keeps its transport.
   */
  async '20261123_12_mautic_assignments'(db) {
    await createEmailTransports(db, 'mautic_email_transports')
      .addColumn('mautic_id', 'bigint', (column) =>
        column.notNull().references('mautics.id').onDelete('cascade'),
      )
      .addColumn('email_id', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('mautic_email_transports_key', ['mautic_id', 'email_id'] as never)
      .execute()
    await createUserTransports(db, 'mautic_user_transports')
      .addColumn('mautic_id', 'bigint', (column) =>
        column.notNull().references('mautics.id').onDelete('cascade'),
      )
      .addColumn('user_id', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('mautic_user_transports_key', ['mautic_id', 'user_id'] as never)
      .execute()
    await addIndexes(db, 'mautic_email_transports', 'mautic_user_transports')
  },
}

function createEmailTransports(
  db: Kysely<unknown>,
  table: string,
): CreateTableBuilder<string, string> {
  return db.schema
    .createTable(table)
    .addColumn('transport_id', 'bigint', (column) =>
      column.references('transports.id').onDelete('set null'),
    )
    .addColumn('use_owner_transport', 'boolean', (column) => column.notNull())
    .addColumn('deleted_transport_id', 'bigint')
}

function createUserTransports(
  db: Kysely<unknown>,
  table: string,
): CreateTableBuilder<string, string> {
  return db.schema
    .createTable(table)
    .addColumn('transport_id', 'bigint', (column) =>
      column.notNull().references('transports.id').onDelete('cascade'),
    )
}

async function addIndexes(db: Kysely<unknown>, ofEmails: string, ofUsers: string): Promise<void> {
  for (const [table, column] of [
    [ofEmails, 'transport_id'],
    [ofEmails, 'deleted_transport_id'],
    [ofUsers, 'transport_id'],
  ] as const)
    await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
}
