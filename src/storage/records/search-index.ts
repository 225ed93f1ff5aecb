import { type Kysely, sql } from 'kysely'
import type { SchemaParts } from '../features.ts'

/** Cuts the search texts of a table to what a search looks into, and adds an index for searches where the database has one. */
export async function indexSearchText(
  db: Kysely<unknown>,
  database: SchemaParts,
  table: string,
): Promise<void> {
  await sql`update ${sql.table(table)} set search_text = substr(search_text, 1, 1000)
    where length(search_text) > 1000`.execute(db)
  await database.createSearchIndex(db, table)
}
