import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { batches } from '../../../kit/batches.ts'
import { type Caller, noBrand, type OfBrand } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { createPacer, pause } from '../../../kit/pause.ts'
import { Periodic } from '../../../kit/periodic.ts'
import {
  type ListQuery,
  type ListTable,
  listRows,
  type RecordRow,
  type RowList,
  type Storage,
} from '../../storage/index.ts'
import { ownedBy } from '../brand-conditions.ts'
import type { DeletedRow, DeletedTables } from './table.ts'

/** A record that is being deleted, and what its deletion released, as JSON data. */
export interface KeptRecord<Row extends RecordRow> {
  name: string
  row: Row
  related: unknown
}

export interface DeletedRecord<Row extends RecordRow> {
  row: Row
  related: unknown
  deletedAt: number
  deletedBy: string
}

export interface DeletedRecordsOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** How long a deleted record can be restored. */
  keepMs: number
}

/** Finds the names of deleted records of a table, by id. */
export async function findDeletedNames(
  storage: Storage,
  table: string,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await storage
    .tables<DeletedTables>()
    .selectFrom('deleted_records')
    .select(['id', 'name'])
    .where('kind', '=', table)
    .where(storage.isAmong('id', ids))
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Reads the rows of deleted records of a table, by id. */
export async function findDeletedRows<Row extends RecordRow>(
  tx: Transaction<object>,
  table: string,
  ids: readonly number[],
): Promise<Row[]> {
  if (ids.length === 0) return []
  const query = tables(tx).selectFrom('deleted_records').selectAll().where('kind', '=', table)
  const rows = await query.where('id', 'in', ids).execute()
  return rows.map((row) => readRecord<Row>(row).row)
}

/** The fields that lists of deleted records are filtered and ordered by. */
export const deletedFields = {
  id: { column: 'id', type: 'number' },
  name: { column: 'name', type: 'text' },
  isPublished: { column: 'is_published', type: 'boolean' },
  brand: { column: 'brand_id', type: 'number' },
  dateDeleted: { column: 'date_deleted', type: 'date' },
  deletedBy: { column: 'deleted_by', type: 'text' },
} as const

const lastDeletedFirst = { field: 'dateDeleted', direction: 'desc' } as const

const intervalMs = 60_000
const rowsPerInsert = 100
const rowsPerPage = 200
/** They take SQLite's one writer about ten milliseconds. */
const prunedPerBatch = 100

/** The deleted records of all kinds. They have left their tables, so that no other query needs a condition. */
export class DeletedRecords {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #keepMs: number
  /** Erases the records whose time is over; returns how many. */
  readonly pruning: Periodic<number>

  constructor({ storage, clock, log, keepMs }: DeletedRecordsOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#keepMs = keepMs
    this.pruning = new Periodic({
      task: (signal) => this.#pruneAll(signal),
      intervalMs,
      log,
      events: { failed: 'deleted records not pruned', recovered: 'deleted records pruned again' },
    })
  }

  /**
   * Makes the transactions that delete, restore and erase records run one after the other. Those of all kinds, because a
   * record and one that it refers to may be restored at the same time, and each has to find the other.
   */
  lock(tx: QueryExecutorProvider): Promise<void> {
    return this.#storage.lock(tx, 'deleted records')
  }

  /** Keeps records, in the transaction that deletes them. */
  async add<Row extends RecordRow>(
    tx: Transaction<object>,
    records: readonly KeptRecord<Row>[],
    { kind, caller }: { kind: string; caller: Pick<Caller, 'name'> },
  ): Promise<void> {
    const dateDeleted = this.#clock.now()
    const rows = records.map(({ name, row, related }): DeletedRow => {
      const { brand_id: brandId = noBrand } = row as Partial<OfBrand>
      return {
        kind,
        id: row.id,
        name,
        search_text: row.search_text,
        brand_id: brandId,
        is_published: row.is_published,
        created_by_id: row.created_by_id,
        date_deleted: dateDeleted,
        deleted_by: caller.name,
        record: JSON.stringify(row),
        related: JSON.stringify(related ?? null),
      }
    })
    for (const batch of batches(rows, rowsPerInsert))
      await tables(tx).insertInto('deleted_records').values(batch).execute()
  }

  /** Reads those of the records that the caller may change, by id, and locks them until the transaction ends. */
  async find<Row extends RecordRow>(
    tx: Transaction<object>,
    ids: readonly number[],
    { kind, caller }: { kind: string; caller: Pick<Caller, 'brands'> },
  ): Promise<Map<number, DeletedRecord<Row>>> {
    const records = new Map<number, DeletedRecord<Row>>()
    for (const batch of batches(ids, rowsPerPage)) {
      const query = tables(tx).selectFrom('deleted_records').selectAll().where('kind', '=', kind)
      const kept = query.where('date_deleted', '>=', this.#oldestKept())
      const changeable = kept.where(ownedBy(caller)).where('id', 'in', batch)
      for (const row of await changeable.forUpdate().execute()) records.set(row.id, readRecord(row))
    }
    return records
  }

  /** How many bytes the records with these ids have together. */
  async readBytes(kind: string, ids: readonly number[]): Promise<number> {
    const query = this.#storage
      .tables<DeletedTables>()
      .selectFrom('deleted_records')
      .where('kind', '=', kind)
    const size = sql<number | null>`sum(octet_length(record) + octet_length(related))`.as('bytes')
    const row = await query.where('id', 'in', ids).select(size).executeTakeFirst()
    return Number(row?.bytes ?? 0)
  }

  /** Removes a record for good, or because it is restored. */
  async remove(tx: Transaction<object>, kind: string, id: number): Promise<void> {
    const remove = tables(tx).deleteFrom('deleted_records').where('kind', '=', kind)
    await remove.where('id', '=', id).execute()
  }

  /** Lists the records that the caller may change, the last deleted first unless the query has another order. */
  list<Row extends RecordRow>(
    kind: string,
    query: ListQuery,
    caller: Caller,
  ): RowList<DeletedRecord<Row>> {
    const table: ListTable = {
      table: 'deleted_records',
      fields: deletedFields,
      nameColumn: 'name',
      largeColumns: ['record'],
      from: sql`(select id, name, search_text, brand_id, is_published, created_by_id, date_deleted,
        deleted_by, record, 'null' as related from deleted_records
        where kind = ${kind} and date_deleted >= ${this.#oldestKept()}
          and ${ownedBy(caller)})`,
    }
    const rows = listRows<DeletedRow>(this.#storage, table, {
      query: query.order.length > 0 ? query : { ...query, order: [lastDeletedFirst] },
      caller,
    })
    return {
      count: () => rows.count(),
      async *pages() {
        for await (const page of rows.pages()) yield page.map((row) => readRecord<Row>(row))
      },
    }
  }

  /**
   * Rewrites the records of a kind, such as encrypted columns with another key. Small transactions, so that requests are
   * served in between.
   *
   * @param change Returns the new row; undefined to leave it.
   */
  async rewrite<Row extends RecordRow>(
    kind: string,
    change: (row: Row, tx: QueryExecutorProvider) => Promise<Row | undefined>,
  ): Promise<void> {
    const changePage = (after: number) =>
      this.#storage.transaction(async (tx: Transaction<object>) => {
        await this.lock(tx)
        const query = tables(tx).selectFrom('deleted_records').selectAll().where('kind', '=', kind)
        const rows = await query.where('id', '>', after).orderBy('id').limit(rowsPerPage).execute()
        for (const row of rows) {
          const changed = await change(readRecord<Row>(row).row, tx)
          if (changed === undefined) continue
          const update = tables(tx).updateTable('deleted_records').where('kind', '=', kind)
          const record = JSON.stringify(changed)
          await update.set({ record }).where('id', '=', row.id).execute()
        }
        return rows.at(-1)?.id
      })
    for (let after: number | undefined = 0; after !== undefined; after = await changePage(after)) {
      await pause()
    }
  }

  /** What was deleted before then is over, also before it is pruned. */
  #oldestKept(): number {
    return this.#clock.now() - this.#keepMs
  }

  async #pruneAll(signal: AbortSignal): Promise<number> {
    let pruned = 0
    while (!signal.aborted) {
      const count = await this.#pruneSome(this.#oldestKept())
      pruned += count
      if (count < prunedPerBatch) break
      await pause()
    }
    return pruned
  }

  #pruneSome(before: number): Promise<number> {
    return this.#storage.transaction(async (tx: Transaction<object>) => {
      const query = tables(tx).selectFrom('deleted_records').select(['kind', 'id'])
      const expired = query.where('date_deleted', '<', before).orderBy('date_deleted')
      const rows = await expired.limit(prunedPerBatch).forUpdate().execute()
      const pace = createPacer()
      for (const { kind, id } of rows) {
        await this.remove(tx, kind, id)
        await pace()
      }
      return rows.length
    })
  }
}

const tables = (tx: Transaction<object>) => tx.withTables<DeletedTables>()

function readRecord<Row extends RecordRow>(row: DeletedRow): DeletedRecord<Row> {
  return {
    row: JSON.parse(row.record) as Row,
    related: JSON.parse(row.related) as unknown,
    deletedAt: row.date_deleted,
    deletedBy: row.deleted_by,
  }
}
