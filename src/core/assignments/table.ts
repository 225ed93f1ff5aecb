import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Migrations } from '../../platform/storage/index.ts'

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

/** The tables of assignments. A row is deleted with its email or user. */
export const assignmentMigrations: Migrations = {
  async '00.01.00_21_assignments'(db) {
    await createTables(db, '', (table, kind) =>
      table.addColumn(`${kind}_id`, 'bigint', (column) =>
        column.primaryKey().references(`${kind}s.id`).onDelete('cascade'),
      ),
    )
    // Deleted with the Mautic. They refer to no row of its emails and users: one that a synchronization does not see, because
    // its log-in has lost a permission for a while, keeps its transport.
    await createTables(db, 'mautic_', (table, kind) =>
      table
        .addColumn('mautic_id', 'bigint', (column) =>
          column.notNull().references('mautics.id').onDelete('cascade'),
        )
        .addColumn(`${kind}_id`, 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint(`mautic_${kind}_transports_key`, [
          'mautic_id',
          `${kind}_id`,
        ] as never),
    )
  },
}

type NewTable = CreateTableBuilder<string, string>

async function createTables(
  db: Kysely<unknown>,
  prefix: '' | 'mautic_',
  addKey: (table: NewTable, kind: 'email' | 'user') => NewTable,
): Promise<void> {
  const [ofEmails, ofUsers] = [`${prefix}email_transports`, `${prefix}user_transports`]
  const emails = db.schema
    .createTable(ofEmails)
    .addColumn('transport_id', 'bigint', (column) =>
      column.references('transports.id').onDelete('set null'),
    )
    .addColumn('use_owner_transport', 'boolean', (column) => column.notNull())
    .addColumn('deleted_transport_id', 'bigint')
  await addKey(emails, 'email').execute()
  const users = db.schema
    .createTable(ofUsers)
    .addColumn('transport_id', 'bigint', (column) =>
      column.notNull().references('transports.id').onDelete('cascade'),
    )
  await addKey(users, 'user').execute()
  for (const [table, column] of [
    [ofEmails, 'transport_id'],
    [ofEmails, 'deleted_transport_id'],
    [ofUsers, 'transport_id'],
  ] as const)
    await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
}
