import { type Kysely, sql } from 'kysely'
import type { DatabaseKind } from '../databases.ts'

/**
 * Cuts the search texts of a table to what a search looks into, and adds an index for searches where the database has one: `pg_trgm` of
 * PostgreSQL, if it is installed and this user may use it. SQLite reads the rows.
 */
export async function indexSearchText(
  db: Kysely<unknown>,
  kind: DatabaseKind,
  table: string,
): Promise<void> {
  await sql`update ${sql.table(table)} set search_text = substr(search_text, 1, 1000)
    where length(search_text) > 1000`.execute(db)
  if (kind !== 'postgres') return
  const index = `create index ${table}_search_text on ${table} using gin (search_text gin_trgm_ops)`
  // An error inside of the block takes back what the block has done, and the migration goes on.
  await sql`do ${sql.lit(`begin
    create extension if not exists pg_trgm;
    ${index};
  exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
    raise notice 'Searches have no index: the extension pg_trgm is not available.';
  end`)}`.execute(db)
}
