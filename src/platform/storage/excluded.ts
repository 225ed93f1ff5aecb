import { type RawBuilder, sql } from 'kysely'

/** The columns of an insertion that replace those of the row that exists, for `doUpdateSet`. */
export function excluded<Column extends string>(...columns: Column[]) {
  const values = columns.map((column) => [column, sql.ref(`excluded.${column}`)])
  return Object.fromEntries(values) as Record<Column, RawBuilder<never>>
}
