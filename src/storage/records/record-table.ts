import type { CreateTableBuilder, Generated, Kysely } from 'kysely'
import type { DatabaseKind } from '../databases.ts'

/** What every record of the API has. Times are milliseconds since the epoch. */
export interface RecordRow {
  /** Never given twice, also after a deletion. */
  id: number
  is_published: boolean
  date_added: number
  /** Null until the first edit. */
  date_modified: number | null
  /** The name of who made it, as it was then. */
  created_by: string | null
  created_by_id: number | null
  modified_by: string | null
  modified_by_id: number | null
  /** Grows by one with each edit. */
  revision: number
  /** Folded text of the columns that a search looks into. */
  search_text: string
}

/** A table of such rows, for Kysely: its ids are given by the database. */
export type RecordTable<Row extends RecordRow> = Omit<Row, 'id'> & { id: Generated<number> }

/** Creates a table with an id and the columns of a record; the caller adds its own and executes. */
export function createRecordTable(
  db: Kysely<unknown>,
  kind: DatabaseKind,
  name: string,
): CreateTableBuilder<string, string> {
  return createTableWithId(db, kind, name)
    .addColumn('is_published', 'boolean', (column) => column.notNull())
    .addColumn('date_added', 'bigint', (column) => column.notNull())
    .addColumn('date_modified', 'bigint')
    .addColumn('created_by', 'text')
    .addColumn('created_by_id', 'bigint')
    .addColumn('modified_by', 'text')
    .addColumn('modified_by_id', 'bigint')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('search_text', 'text', (column) => column.notNull())
}

/** Creates a table whose ids are given by the database and never given twice. */
export function createTableWithId(
  db: Kysely<unknown>,
  kind: DatabaseKind,
  name: string,
): CreateTableBuilder<string, string> {
  const table = db.schema.createTable(name)
  return kind === 'sqlite'
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) =>
        column.primaryKey().generatedByDefaultAsIdentity(),
      )
}
