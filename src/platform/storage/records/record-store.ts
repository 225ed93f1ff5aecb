import { type Kysely, sql, type Transaction } from 'kysely'
import type { MaybePromise } from '../../../kit/maybe-promise.ts'
import { pause } from '../../../kit/pause.ts'
import { createLookUp, type Storage } from '../storage.ts'
import { type ListRequest, type ListTable, listRows } from './list-rows.ts'
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

export interface RecordStoreOptions<Row extends RecordRow> extends ListTable {
  /** A column with a unique index whose values tell records apart. Any number of records may have null. */
  identityColumn?: keyof OwnColumns<Row> & string
  /** Changes that name the same lock run one after the other, such as those that compare names. */
  lock?: string
}

export type RecordStore<Row extends RecordRow> = ReturnType<typeof openRecordStore<Row>>

/** Opens the rows of one table. It runs queries and nothing else; changes run in the transaction of the caller. */
export function openRecordStore<Row extends RecordRow>(
  storage: Storage,
  options: RecordStoreOptions<Row>,
) {
  const { table, identityColumn } = options
  const db = storage.tables<RecordTables>()
  const tablesOf = (tx: Transaction<object>) => tx.withTables<RecordTables>()
  const read = async (selection: Omit<RowSelection, 'table'>) =>
    (await readRows({ table, ...selection })) as Row[]
  const lookUp = createLookUp<{ id: number }, Row>(storage, ({ id }) =>
    db.selectFrom(table).selectAll().where('id', '=', id),
  )
  return {
    storage,
    options,
    find: (id: number): MaybePromise<Row | undefined> => lookUp({ id }),
    /** Reads the rows with these ids, as far as they exist. */
    findMany: (ids: readonly number[]) => read({ db, values: ids }),
    /** Reads the rows whose identity column has one of these values. */
    findSame: async (values: readonly string[]) =>
      identityColumn === undefined ? [] : read({ db, column: identityColumn, values }),
    list: (request: ListRequest) => listRows<Row>(storage, options, request),
    /**
     * The bytes of the texts in these columns, by the value of another column (default: `id`), without reading the texts. One
     * statement: SQLite takes 32,766 values.
     */
    async readSizes(
      values: readonly (number | string)[],
      columns: readonly string[],
      by = 'id',
    ): Promise<Map<number | string, number>> {
      if (values.length === 0) return new Map()
      const lengths = columns.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`)
      const bytes = sql<number>`${sql.join(lengths, sql` + `)}`
      const key = sql.ref<number | string>(by)
      const rows = await db
        .selectFrom(table)
        .select([key.as('key'), bytes.as('bytes')])
        .where(key, 'in', values)
        .execute()
      return new Map(rows.map((row) => [row.key, Number(row.bytes)]))
    },
    /** Reads rows and locks them until the transaction ends; in id order, so that no two transactions block each other. */
    async lock(tx: Transaction<object>, ids: readonly number[]): Promise<Map<number, Row>> {
      const rows = await read({ db: tablesOf(tx), values: ids, isLocked: true })
      return new Map(rows.map((row) => [row.id, row]))
    },
    /** Inserts rows; returns them in order, with their ids. Undefined where a row with the same identity exists. */
    insert: (tx: Transaction<object>, rows: readonly OwnColumns<Row>[], change: Change) =>
      insertRows<Row>(tablesOf(tx), { table, identityColumn, rows }, change),
    /** Changes one row, whose revision grows by one; returns it. */
    async update(
      tx: Transaction<object>,
      { current, columns }: { current: Row; columns: OwnColumns<Row> },
      change: Change,
    ): Promise<Row> {
      const stamp = editStamp(current, change)
      const update = tablesOf(tx)
        .updateTable(table)
        .set({ ...columns, ...stamp })
      await update.where('id', '=', current.id).execute()
      return { ...current, ...columns, ...stamp }
    },
    async remove(tx: Transaction<object>, id: number): Promise<void> {
      await tablesOf(tx).deleteFrom(table).where('id', '=', id).execute()
    },
    /** Writes back a row that was removed, with its id and its stamps. */
    async restore(tx: Transaction<object>, row: Row): Promise<void> {
      await tablesOf(tx).insertInto(table).values(row).execute()
    },
    /** The id of the row whose identity column has this value. */
    async findIdOf(tx: Transaction<object>, value: unknown): Promise<number | undefined> {
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
