import { type CreateTableBuilder, type Generated, type Kysely, sql } from 'kysely'
import { type Caller, noBrand, ownUserId } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { SchemaParts } from '../features.ts'

/** The columns that every record has. Times are milliseconds since the epoch. */
export interface RecordRow {
  /** Never given twice, also after a deletion. */
  id: number
  is_published: boolean
  date_added: number
  /** Null until the first edit. */
  date_modified: number | null
  /** The name of the creator at that time. */
  created_by: string | null
  created_by_id: number | null
  modified_by: string | null
  modified_by_id: number | null
  /** Grows by one with each edit. */
  revision: number
  /** Normalized text of the columns that a search looks into. */
  search_text: string
}

/** The columns that the store fills by itself. */
type StampColumn =
  | 'id'
  | 'revision'
  | 'date_added'
  | 'date_modified'
  | 'created_by'
  | 'created_by_id'
  | 'modified_by'
  | 'modified_by_id'

/** The columns that the caller of a store gives values for. */
export type OwnColumns<Row extends RecordRow> = Omit<Row, StampColumn>

/** A table of records, for Kysely: the database gives the ids. */
export type RecordTable<Row extends RecordRow> = Omit<Row, 'id'> & { id: Generated<number> }

/** Record tables of any name, with the columns that all of them have. */
export type RecordTables = Record<string, RecordTable<RecordRow>>

/** The author of a change, and the clock that dates it. */
export interface Change {
  caller: Pick<Caller, 'name' | 'userId' | 'mautic'>
  clock: Clock
}

/** The stamp columns of a new record. */
export function newRecordStamp({ caller, clock }: Change) {
  return {
    date_added: clock.now(),
    date_modified: null,
    created_by: caller.name,
    created_by_id: ownUserId(caller) ?? null,
    modified_by: null,
    modified_by_id: null,
    revision: 1,
  }
}

/** The stamp columns of a record that is edited. */
export function editStamp({ revision }: RecordRow, { caller, clock }: Change) {
  return {
    date_modified: clock.now(),
    modified_by: caller.name,
    modified_by_id: ownUserId(caller) ?? null,
    revision: revision + 1,
  }
}

/** Creates a table with an id and the columns of a record; the caller adds its own columns and executes. */
export function createRecordTable(
  db: Kysely<unknown>,
  database: SchemaParts,
  name: string,
): CreateTableBuilder<string, string> {
  return database
    .createTableWithId(db, name)
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

/** Adds the brand of each row to a new table; `noBrand` for none. */
export function addBrand(
  table: CreateTableBuilder<string, string>,
): CreateTableBuilder<string, string> {
  return table.addColumn('brand_id', 'bigint', (column) => column.notNull().defaultTo(noBrand))
}

/** Creates an index of the rows that have a brand: what a brand has is counted before it is deleted. */
export async function indexBrands(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`create index ${sql.ref(`${table}_brand_id`)} on ${sql.table(table)} (brand_id, id)
    where brand_id <> 0`.execute(db)
}
