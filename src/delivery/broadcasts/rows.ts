import { type RawBuilder, sql } from 'kysely'
import type { DatabaseKind } from '../../storage/index.ts'

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

/**
 * A column whose index must not be used: without statistics a database would choose the index of an unselective column,
 * and read every row that the other conditions exclude.
 */
export function unindexed(kind: DatabaseKind, column: string): RawBuilder<unknown> {
  return kind === 'sqlite' ? sql`+${sql.ref(column)}` : sql`(${sql.ref(column)} || '')`
}
