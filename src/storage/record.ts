import { type CreateTableBuilder, type Generated, type Kysely, sql } from 'kysely'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { DatabaseKind } from './databases.ts'

/** The columns that every record of the API has. Times are milliseconds since the epoch. */
export interface RecordColumns {
  /** Never given twice, also after a deletion. */
  id: Generated<number>
  is_published: boolean
  date_added: number
  /** Null until the first edit. */
  date_modified: number | null
  /** The name of who made it, as it was then. */
  created_by: string | null
  created_by_id: number | null
  modified_by: string | null
  /** Grows by one with each edit. */
  revision: Generated<number>
  /** Folded text of the columns that a search looks into. */
  search_text: string
}

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
    .addColumn('revision', 'bigint', (column) => column.notNull().defaultTo(1))
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

/** The columns that say who made a record, and when. */
export function creationStamp(caller: Caller, clock: Clock) {
  return {
    date_added: clock.now(),
    date_modified: null,
    created_by: caller.name,
    created_by_id: caller.userId ?? null,
    modified_by: null,
  }
}

/** The columns that say who changed a record, and when. */
export function changeStamp(caller: Caller, clock: Clock) {
  return {
    date_modified: clock.now(),
    modified_by: caller.name,
    revision: sql<number>`revision + 1`,
  }
}
