import { sql } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { OwnColumns } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordWork } from './record-work.ts'

/** What a new record says of who made it, and when. */
export function newRecordStamp(caller: Pick<Caller, 'name' | 'userId'>, clock: Clock) {
  return {
    date_added: clock.now(),
    date_modified: null,
    created_by: caller.name,
    created_by_id: caller.userId ?? null,
    modified_by: null,
    modified_by_id: null,
    revision: 1,
  }
}

/** Inserts rows with their stamps; returns them in order, with their ids; undefined where a record with its identity exists. */
export async function insertRecords<Row extends RecordRow, Input>(
  { tx, rules, caller, clock }: RecordWork<Row, Input>,
  columns: readonly OwnColumns<Row>[],
): Promise<(Row | undefined)[]> {
  if (columns.length === 0) return []
  const stamp = newRecordStamp(caller, clock)
  const rows = columns.map((own) => ({ ...own, ...stamp }))
  const values = rows as unknown as Omit<RecordRow, 'id'>[]
  const insert = tx.insertInto(rules.table).values(values).returning('id')
  const key = rules.identity?.column
  const inserted: Inserted[] =
    key === undefined
      ? await insert.execute()
      : await insert
          .returning(sql.ref<unknown>(key).as('identity'))
          .onConflict((conflict) => conflict.column(key as 'id').doNothing())
          .execute()
  // Ids are given in the order of the rows, but not necessarily returned in it.
  const inOrder = inserted.sort((a, b) => a.id - b.id).values()
  let next = inOrder.next().value
  return rows.map((row) => {
    const own = key === undefined ? null : row[key]
    if (next === undefined || (own !== null && own !== next.identity)) return undefined
    const { id } = next
    next = inOrder.next().value
    return { id, ...row } as unknown as Row
  })
}

interface Inserted {
  id: number
  identity?: unknown
}
