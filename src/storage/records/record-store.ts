import { type Kysely, sql, type Transaction } from 'kysely'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { pause } from '../../kit/pause.ts'
import { createLookUp, type Storage } from '../storage.ts'
import { type ListRequest, type ListTable, listRows, type RowList } from './list-rows.ts'
import {
  type Change,
  editStamp,
  newRecordStamp,
  type OwnColumns,
  type RecordRow,
  type RecordTables,
} from './record-table.ts'

/** How many rows one statement reads. */
const rowsPerStatement = 200
/** SQLite takes 32,766 values in a statement. */
const valuesPerStatement = 5_000

/** The table of a store. */
export interface RecordStoreOptions<Row extends RecordRow> extends ListTable {
  /** A column with a unique index whose values tell records apart. Any number of records may have null. */
  identityColumn?: keyof OwnColumns<Row> & string
}

/** The rows of one table. It runs queries and nothing else; changes run in the transaction of the caller. */
export interface RecordStore<Row extends RecordRow> {
  readonly table: string
  readonly nameColumn: string
  readonly identityColumn: (keyof OwnColumns<Row> & string) | undefined
  find(id: number): MaybePromise<Row | undefined>
  /** Reads the rows with these ids, as far as they exist. */
  findMany(ids: readonly number[]): Promise<Row[]>
  /** Reads the rows whose identity column has one of these values. */
  findSame(values: readonly string[]): Promise<Row[]>
  list(request: ListRequest): RowList<Row>
  /** The bytes of the texts in these columns, by the value of another column (default: `id`), without reading the texts. */
  readSizes(
    values: readonly (number | string)[],
    columns: readonly string[],
    by?: string,
  ): Promise<Map<number | string, number>>
  /** Reads rows and locks them until the transaction ends; in id order, so that no two transactions block each other. */
  lock(tx: Transaction<object>, ids: readonly number[]): Promise<Map<number, Row>>
  /** Inserts rows; returns them in order, with their ids. Undefined where a row with the same identity exists. */
  insert(
    tx: Transaction<object>,
    rows: readonly OwnColumns<Row>[],
    change: Change,
  ): Promise<(Row | undefined)[]>
  /** Changes one row, whose revision grows by one; returns it. */
  update(
    tx: Transaction<object>,
    edit: { current: Row; columns: OwnColumns<Row> },
    change: Change,
  ): Promise<Row>
  remove(tx: Transaction<object>, id: number): Promise<void>
  /** Writes back a row that was removed, with its id and its stamps. */
  restore(tx: Transaction<object>, row: Row): Promise<void>
  /** The id of the row whose identity column has this value. */
  findIdOf(tx: Transaction<object>, value: unknown): Promise<number | undefined>
}

/** Opens the store of a record table. */
export function openRecordStore<Row extends RecordRow>(
  storage: Storage,
  options: RecordStoreOptions<Row>,
): RecordStore<Row> {
  const { table, nameColumn, identityColumn } = options
  const db = storage.tables<RecordTables>()
  const tablesOf = (tx: Transaction<object>) => tx.withTables<RecordTables>()
  const read = async (selection: Omit<RowSelection, 'table'>) =>
    (await readRows({ table, ...selection })) as Row[]
  return {
    table,
    nameColumn,
    identityColumn,
    find: createLookUp<Row>(storage, () =>
      db.selectFrom(table).selectAll().where('id', '=', 0).compile(),
    ),
    findMany: (ids) => read({ db, values: ids }),
    findSame: async (values) =>
      identityColumn === undefined ? [] : read({ db, column: identityColumn, values }),
    list: (request) => listRows<Row>(storage, options, request),
    readSizes: (values, columns, by = 'id') =>
      readSizes(db, { table, column: by, values }, columns),
    async lock(tx, ids) {
      const rows = await read({ db: tablesOf(tx), values: ids, isLocked: true })
      return new Map(rows.map((row) => [row.id, row]))
    },
    insert: (tx, rows, change) =>
      insertRows<Row>(tablesOf(tx), { table, identityColumn, rows }, change),
    async update(tx, { current, columns }, change) {
      const stamp = editStamp(current, change)
      const update = tablesOf(tx)
        .updateTable(table)
        .set({ ...columns, ...stamp })
      await update.where('id', '=', current.id).execute()
      return { ...current, ...columns, ...stamp }
    },
    async remove(tx, id) {
      await tablesOf(tx).deleteFrom(table).where('id', '=', id).execute()
    },
    async restore(tx, row) {
      await tablesOf(tx).insertInto(table).values(row).execute()
    },
    async findIdOf(tx, value) {
      if (identityColumn === undefined) return undefined
      const query = tablesOf(tx).selectFrom(table).select('id')
      return (await query.where(sql.ref(identityColumn), '=', value).executeTakeFirst())?.id
    },
  }
}

interface RowSelection {
  db: Kysely<RecordTables>
  table: string
  /** Default: `id`. */
  column?: string
  values: readonly (number | string)[]
  isLocked?: boolean
}

/** Reads the rows whose column has one of the values. */
async function readRows({
  db,
  table,
  column = 'id',
  values,
  isLocked = false,
}: RowSelection): Promise<RecordRow[]> {
  const rows: RecordRow[] = []
  const sorted = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1))
  for (let start = 0; start < sorted.length; start += rowsPerStatement) {
    if (start > 0) await pause()
    const batch = sorted.slice(start, start + rowsPerStatement)
    const query = db.selectFrom(table).selectAll().where(sql.ref(column), 'in', batch).orderBy('id')
    rows.push(...(await (isLocked ? query.forUpdate() : query).execute()))
  }
  return rows
}

async function readSizes(
  db: Kysely<RecordTables>,
  {
    table,
    column,
    values,
  }: { table: string; column: string; values: readonly (number | string)[] },
  columns: readonly string[],
): Promise<Map<number | string, number>> {
  const lengths = columns.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`)
  const bytes = sql<number>`${sql.join(lengths, sql` + `)}`
  const key = sql.ref<number | string>(column)
  const sizes = new Map<number | string, number>()
  for (let start = 0; start < values.length; start += valuesPerStatement) {
    const batch = values.slice(start, start + valuesPerStatement)
    const query = db
      .selectFrom(table)
      .select([key.as('key'), bytes.as('bytes')])
      .where(key, 'in', batch)
    for (const row of await query.execute()) sizes.set(row.key, Number(row.bytes))
  }
  return sizes
}

interface NewRows<Row extends RecordRow> {
  table: string
  identityColumn: string | undefined
  rows: readonly OwnColumns<Row>[]
}

async function insertRows<Row extends RecordRow>(
  tx: Kysely<RecordTables>,
  { table, identityColumn, rows: newRows }: NewRows<Row>,
  change: Change,
): Promise<(Row | undefined)[]> {
  if (newRows.length === 0) return []
  const stamp = newRecordStamp(change)
  const rows: Record<string, unknown>[] = newRows.map((columns) => ({ ...columns, ...stamp }))
  const values = rows as unknown as Omit<RecordRow, 'id'>[]
  const insert = tx.insertInto(table).values(values).returning('id')
  const inserted: { id: number; identity?: unknown }[] =
    identityColumn === undefined
      ? await insert.execute()
      : await insert
          .returning(sql.ref<unknown>(identityColumn).as('identity'))
          .onConflict((conflict) => conflict.column(identityColumn as 'id').doNothing())
          .execute()
  // Ids are given in the order of the rows, but not necessarily returned in it.
  const inOrder = inserted.sort((a, b) => a.id - b.id).values()
  let next = inOrder.next().value
  return rows.map((row) => {
    const identity = identityColumn === undefined ? null : row[identityColumn]
    if (next === undefined || (identity !== null && identity !== next.identity)) return undefined
    const { id } = next
    next = inOrder.next().value
    return { id, ...row } as unknown as Row
  })
}
