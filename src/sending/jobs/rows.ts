import { CompiledQuery, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { DatabaseKind } from '../../storage/index.ts'
import { storableText } from '../journal/storable-text.ts'

/** What the rows of `jsonRows` are made of: the type of each column in SQL. */
export type JsonColumns = Readonly<Record<string, 'bigint' | 'text' | 'boolean'>>

/**
 * Many values in one parameter, as a table for `from`: the statement is the same however many rows
 * there are, so that it is prepared once.
 */
export function jsonRows(
  kind: DatabaseKind,
  columns: JsonColumns,
  rows: readonly Readonly<Record<string, unknown>>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns)
  if (kind === 'postgres') {
    const clean = (_name: string, value: unknown) =>
      typeof value === 'string' ? storableText(value) : value
    const types = names.map((name) => `${name} ${columns[name]}`).join(', ')
    return sql`json_to_recordset(${JSON.stringify(rows, clean)}::json) as given (${sql.raw(types)})`
  }
  const values = rows.map((row) => names.map((name) => row[name] ?? null))
  const picked = names.map((name, index) => `value ->> ${index} as ${name}`).join(', ')
  return sql`(select ${sql.raw(picked)} from json_each(${JSON.stringify(values)})) as given`
}

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

/**
 * A column that SQLite is not to look up by: it would take the index of a column that says little, and
 * go through all that the other conditions exclude. PostgreSQL knows better by itself.
 */
export function unindexed(kind: DatabaseKind, column: string): RawBuilder<unknown> {
  return sql`${sql.raw(kind === 'sqlite' ? '+' : '')}${sql.ref(column)}`
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
    const from = jsonRows(kind, columns, rows)
    await sql`insert into ${sql.table(table)} (${list}) select ${list} from ${from}`.execute(tx)
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
