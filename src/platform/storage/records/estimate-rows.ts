import { type QueryExecutorProvider, sql } from 'kysely'

/** Estimates the rows of a table by its first and its last id, which an index finds at once. */
export async function estimateByIds(db: QueryExecutorProvider, table: string): Promise<number> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`select
    (select min(id) from ${sql.table(table)}) as first,
    (select max(id) from ${sql.table(table)}) as last`.execute(db)
  const { first, last } = rows[0] ?? { first: null, last: null }
  return first === null || last === null ? 0 : Number(last) - Number(first) + 1
}
