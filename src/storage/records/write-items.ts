import { sql, type Transaction } from 'kysely'
import { done, type Outcome } from '../../kit/outcome.ts'
import { createPacer } from '../../kit/pause.ts'
import { insertRecords } from './insert-records.ts'
import type { PreparedItem } from './prepare-items.ts'
import { readRows } from './read-rows.ts'
import type { OwnColumns, WriteRules } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import { chunkSize, type RecordWork, type Written } from './record-work.ts'
import { tryOne } from './try-one.ts'

/** What became of an item; undefined where what it depends on has changed, so that it has to be prepared again. */
export type WriteOutcome<Row extends RecordRow> = Outcome<Written<Row>> | undefined

/** One transaction, and what it knows so far. */
interface Writing<Row extends RecordRow, Input> extends RecordWork<Row, Input> {
  write: WriteRules<Row, Input>
  /** The records that are to be changed, as they are now, and the new ones by the ids that they were prepared with. */
  rows: Map<number, Row>
  ownIds: Set<number>
}

/** Writes items that were prepared, in order: with queries, and nothing else that takes long. */
export async function writeItems<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  items: readonly PreparedItem<Row, Input>[],
): Promise<WriteOutcome<Row>[]> {
  const { tx, rules, caller } = work
  const values = items.flatMap(({ id }) => (id > 0 ? [id] : []))
  const locked = await readRows<Row>(tx, { table: rules.table, values, isLocked: true })
  const rows = new Map(locked.map((row) => [row.id, row]))
  const write = rules.begin?.({ tx: tx as unknown as Transaction<object>, caller }) ?? {}
  const writing = { ...work, write, rows, ownIds: new Set<number>() }
  // Where a name must be unique, each item must see the one before it.
  const insertedAtOnce = rules.lock === undefined ? chunkSize : 1
  const outcomes: WriteOutcome<Row>[] = []
  let newItems: NewItem<Row, Input>[] = []
  const insertNew = async () => {
    await insertItems(writing, newItems, outcomes)
    newItems = []
  }
  const pace = createPacer()
  for (const [index, item] of items.entries()) {
    const isOfNew = item.current !== undefined && item.current.id < 0
    if (isOfNew || newItems.length >= insertedAtOnce) await insertNew()
    const outcome = await tryOne(() => writeItem(writing, item))
    if (!outcome.ok) outcomes[index] = outcome
    else if (outcome.value === 'new') newItems.push({ index, item })
    else outcomes[index] = outcome.value === 'stale' ? undefined : done(outcome.value)
    await pace()
  }
  await insertNew()
  return outcomes
}

interface NewItem<Row extends RecordRow, Input> {
  index: number
  item: PreparedItem<Row, Input>
}

/** Checks an item, and writes it unless it is new. */
async function writeItem<Row extends RecordRow, Input>(
  writing: Writing<Row, Input>,
  item: PreparedItem<Row, Input>,
): Promise<Written<Row> | 'new' | 'stale'> {
  const { tx, write, rows, ownIds } = writing
  const { input, columns } = item
  const current = item.current && rows.get(item.id)
  if (current?.revision !== item.current?.revision) return 'stale'
  const inRules = tx as unknown as Transaction<object>
  if ((await item.isCurrent?.(inRules, ownIds)) === false) return 'stale'
  await write.beforeWrite?.({ input, columns, current })
  if (current === undefined) return 'new'
  await checkIdentity(writing, current, columns)
  if (item.isUnchanged) return { row: current, isNew: false }
  const row = await updateRecord(writing, current, columns)
  rows.set(item.id, row)
  ownIds.add(row.id)
  await write.afterWrite?.([row], [input], current)
  return { row, isNew: false }
}

async function updateRecord<Row extends RecordRow, Input>(
  { tx, rules, caller, clock }: RecordWork<Row, Input>,
  current: Row,
  columns: OwnColumns<Row>,
): Promise<Row> {
  const stamp = {
    date_modified: clock.now(),
    modified_by: caller.name,
    modified_by_id: caller.userId ?? null,
    revision: current.revision + 1,
  }
  const update = tx.updateTable(rules.table).set({ ...columns, ...stamp })
  await update.where('id', '=', current.id).execute()
  return { ...current, ...columns, ...stamp }
}

/** Throws where another record has the identity that a record is to get. */
async function checkIdentity<Row extends RecordRow, Input>(
  { tx, rules }: RecordWork<Row, Input>,
  current: Row,
  columns: OwnColumns<Row>,
): Promise<void> {
  if (rules.identity === undefined) return
  const { column, taken } = rules.identity
  const value = columns[column]
  if (value === null || value === current[column]) return
  const query = tx.selectFrom(rules.table).select('id').where(sql.ref(column), '=', value)
  const other = await query.executeTakeFirst()
  if (other !== undefined) throw taken(other.id, String(value))
}

/** Inserts new records. Where another transaction has inserted the same, the item is to be prepared again. */
async function insertItems<Row extends RecordRow, Input>(
  writing: Writing<Row, Input>,
  items: readonly NewItem<Row, Input>[],
  outcomes: WriteOutcome<Row>[],
): Promise<void> {
  const columns = items.map(({ item }) => item.columns)
  const inserted = await insertRecords(writing, columns)
  const written = items.flatMap(({ item, index }, place) => {
    const row = inserted[place]
    outcomes[index] = row && done({ row, isNew: true })
    return row === undefined ? [] : [{ row, item }]
  })
  for (const { row, item } of written) {
    writing.rows.set(item.id, row)
    writing.ownIds.add(row.id)
  }
  if (written.length === 0) return
  const rows = written.map(({ row }) => row)
  await writing.write.afterWrite?.(
    rows,
    written.map(({ item }) => item.input),
  )
}
