import { CompiledQuery, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { DatabaseKind } from '../../storage/index.ts'
import { storableText } from '../journal/storable-text.ts'

/** The type of each column in SQL. */
export type JsonColumns = Readonly<Record<string, 'bigint' | 'text' | 'boolean'>>

/** `column in (ids)`, the same statement however many ids there are. */
export function isAmong(
  kind: DatabaseKind,
  column: string,
  ids: readonly number[],
): RawBuilder<boolean> {
  const reference = sql.ref(column)
  return kind === 'postgres'
    ? sql<boolean>`${reference} = any(${ids}::bigint[])`
    : sql<boolean>`${reference} in (select value from json_each(${JSON.stringify(ids)}))`
}

/** What each id of a column is given, as text; it must be `storableText`. */
export function givenText(
  kind: DatabaseKind,
  column: string,
  values: readonly (readonly [id: number, value: string])[],
): RawBuilder<string> {
  const map = JSON.stringify(Object.fromEntries(values))
  const reference = sql.ref(column)
  return kind === 'postgres'
    ? sql<string>`(${map}::jsonb ->> ${reference}::text)`
    : sql<string>`(${map} ->> ('$.' || ${reference}))`
}

/**
 * A column that is not to be looked up by: a database that does not know its tables would take the index of
 * a column that says little, and go through all that the other conditions exclude.
 */
export function unindexed(kind: DatabaseKind, column: string): RawBuilder<unknown> {
  return kind === 'sqlite' ? sql`+${sql.ref(column)}` : sql`(${sql.ref(column)} || '')`
}

/** So many rows go into one statement of SQLite, where each value is a parameter. */
const chunkSize = 16

/** What rows are put into. */
export interface InsertTarget {
  table: string
  columns: JsonColumns
}

/** Inserts many rows with few statements, each of which is prepared once. */
export async function insertRows(
  tx: QueryExecutorProvider & {
    executeQuery: (query: CompiledQuery) => Promise<unknown>
  },
  { kind, table, columns }: InsertTarget & { kind: DatabaseKind },
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const names = Object.keys(columns)
  if (kind === 'postgres') {
    const list = sql.raw(names.join(', '))
    const types = sql.raw(names.map((name) => `${name} ${columns[name]}`).join(', '))
    const values = JSON.stringify(rows, (_name, value) =>
      typeof value === 'string' ? storableText(value) : value,
    )
    await sql`insert into ${sql.table(table)} (${list})
      select ${list} from json_to_recordset(${values}::json) as given (${types})`.execute(tx)
    return
  }
  const one = `(${names.map(() => '?').join(', ')})`
  for (let start = 0; start < rows.length; ) {
    // Whole chunks, then one by one: two statements to prepare, and no more.
    const size = rows.length - start >= chunkSize ? chunkSize : 1
    const values = Array.from({ length: size }, () => one).join(', ')
    const chunk = rows.slice(start, start + size)
    const parameters = chunk.flatMap((row) => names.map((name) => row[name] ?? null))
    const text = `insert into ${table} (${names.join(', ')}) values ${values}`
    await tx.executeQuery(CompiledQuery.raw(text, parameters))
    start += size
  }
}
