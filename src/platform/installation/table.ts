import { sql } from 'kysely'
import type { Migrations } from '../storage/index.ts'

/** The one row that says which installation the database belongs to. */
export interface InstallationTable {
  /** `MAILYARD_PUBLIC_URL` when it was last confirmed, or first set; null before that. */
  public_url: string | null
  /** Whether it is a back-up, or was restored from one, and no person has confirmed it since. */
  is_restored: boolean
  /** See `QueryParts.tableId`. A migration that creates this table again writes the new one. */
  table_id: string
}

export interface InstallationTables {
  installation: InstallationTable
}

export const installationMigrations: Migrations = {
  async '00.01.00_01_installation'(db, database) {
    await db.schema
      .createTable('installation')
      .addColumn('public_url', 'text')
      .addColumn('is_restored', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('table_id', 'text', (column) => column.notNull())
      .execute()
    await sql`insert into installation (table_id) values (${database.tableId('installation')})`.execute(
      db,
    )
  },
}
