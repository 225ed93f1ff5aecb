import { CompiledQuery, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { DatabaseKind } from '../../storage/index.ts'
import { storableText } from '../log/delivery-row.ts'

/** The type of each column in SQL. */
export type JsonColumns = Readonly<Record<string, 'bigint' | 'text' | 'boolean'>>

/** `column in (ids)`; the statement is the same for any number of ids. */
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

/** Maps each id of a column to a text, which must be `storableText`. */
export function textById(
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
 * A column whose index must not be used: without statistics a database would choose the index of an unselective column,
 * and read every row that the other conditions exclude.
 */
export function unindexed(kind: DatabaseKind, column: string): RawBuilder<unknown> {
  return kind === 'sqlite' ? sql`+${sql.ref(column)}` : sql`(${sql.ref(column)} || '')`
}

/** The rows of one statement on SQLite, where each value is a parameter. */
const chunkSize = 16

/** The table and the columns of inserted rows. */
export interface InsertTarget {
  table: string
  columns: JsonColumns
}

/** Inserts many rows with few statements, which are prepared once each. */
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
    // Full chunks, then single rows: only two statements to prepare.
    const size = rows.length - start >= chunkSize ? chunkSize : 1
    const values = Array.from({ length: size }, () => one).join(', ')
    const chunk = rows.slice(start, start + size)
    const parameters = chunk.flatMap((row) => names.map((name) => row[name] ?? null))
    const text = `insert into ${table} (${names.join(', ')}) values ${values}`
    await tx.executeQuery(CompiledQuery.raw(text, parameters))
    start += size
  }
}
