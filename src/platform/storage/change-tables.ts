import { type Kysely, sql } from 'kysely'
import type { DatabaseFeatures } from './features.ts'

export async function hasTable(db: Kysely<unknown>, name: string): Promise<boolean> {
  return (await db.introspection.getTables()).some((table) => table.name === name)
}

export async function dropIndexes(db: Kysely<unknown>, names: readonly string[]): Promise<void> {
  for (const name of names) await sql`drop index if exists ${sql.ref(name)}`.execute(db)
}

/** Drops a trigger, and on PostgreSQL the function of its name. */
export async function dropTrigger(
  db: Kysely<unknown>,
  { runsInProcess }: DatabaseFeatures,
  name: string,
): Promise<void> {
  if (runsInProcess) await sql`drop trigger if exists ${sql.ref(name)}`.execute(db)
  else await sql`drop function if exists ${sql.ref(name)}() cascade`.execute(db)
}

/** Drops those of some columns that a table has. Their indexes go first: SQLite refuses to drop a column with one. */
export async function dropColumns(
  db: Kysely<unknown>,
  table: string,
  names: readonly string[],
): Promise<void> {
  for (const name of await columnsOf(db, table))
    if (names.includes(name)) await db.schema.alterTable(table).dropColumn(name).execute()
}

export async function columnsOf(db: Kysely<unknown>, table: string): Promise<string[]> {
  const tables = await db.introspection.getTables()
  return tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? []
}
