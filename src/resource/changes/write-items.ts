import type { Transaction } from 'kysely'
import { type BatchItemResult, done, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { createPacer } from '../../kit/pause.ts'
import type { OwnColumns, RecordRow } from '../../storage/index.ts'
import { type ChangedRow, itemsPerTransaction, type ResourceDefinition } from '../definition.ts'
import type { PreparedItem } from './prepare-items.ts'

/** The result of an item; undefined where it is stale: what it depends on has changed, and it has to be prepared again. */
export type WriteResult<Row extends RecordRow> = BatchItemResult<ChangedRow<Row>> | undefined

/** The transaction that writes, and its author. */
interface WriteContext<Row extends RecordRow, Item, Input> {
  definition: ResourceDefinition<Row, Item, Input>
  tx: Transaction<object>
  caller: Caller
}

/** A transaction, and what it has written so far. */
interface Writing<Row extends RecordRow, Item, Input> extends WriteContext<Row, Item, Input> {
  /** The locked records, and the new ones by the ids that they were prepared with. */
  rows: Map<number, Row>
  ownIds: Set<number>
}

interface NewItem<Row extends RecordRow, Input> {
  index: number
  item: PreparedItem<Row, Input>
}

/** Writes prepared items in order. It only runs queries; everything slow was done before. */
export async function writeItems<Row extends RecordRow, Item, Input>(
  context: WriteContext<Row, Item, Input>,
  items: readonly PreparedItem<Row, Input>[],
): Promise<WriteResult<Row>[]> {
  const { definition, tx } = context
  const rows = await definition.store.lock(
    tx,
    items.flatMap(({ id }) => (id > 0 ? [id] : [])),
  )
  const writing = { ...context, rows, ownIds: new Set<number>() }
  // Where names are compared, each item has to see the one before it.
  const rowsPerInsert = definition.lock === undefined ? itemsPerTransaction : 1
  const results: WriteResult<Row>[] = []
  let newItems: NewItem<Row, Input>[] = []
  const insertNew = async () => {
    await insertItems(writing, newItems, results)
    newItems = []
  }
  const pace = createPacer()
  for (const [index, item] of items.entries()) {
    const isOfNew = item.current !== undefined && item.current.id < 0
    if (isOfNew || newItems.length >= rowsPerInsert) await insertNew()
    const result = await runItem(() => writeItem(writing, item))
    if (!result.ok) results[index] = result
    else if (result.value === 'new') newItems.push({ index, item })
    else results[index] = result.value === 'stale' ? undefined : done(result.value)
    await pace()
  }
  await insertNew()
  return results
}

/** Checks an item, and writes it unless it is new. */
async function writeItem<Row extends RecordRow, Item, Input>(
  writing: Writing<Row, Item, Input>,
  item: PreparedItem<Row, Input>,
): Promise<ChangedRow<Row> | 'new' | 'stale'> {
  const { definition, tx, caller, rows, ownIds } = writing
  const { store, clock } = definition
  const { input, columns } = item
  const current = item.current && rows.get(item.id)
  if (current?.revision !== item.current?.revision) return 'stale'
  if ((await item.isCurrent?.(tx, ownIds)) === false) return 'stale'
  await definition.beforeWrite?.(tx, { input, columns, current, caller })
  if (current === undefined) return 'new'
  await checkIdentity(writing, current, columns)
  if (item.isUnchanged) {
    await item.writeTest?.(tx, current.id)
    return { row: current, isNew: false }
  }
  const row = await store.update(tx, { current, columns }, { caller, clock })
  rows.set(item.id, row)
  ownIds.add(row.id)
  await definition.afterWrite?.(tx, { rows: [row], inputs: [input], before: current, caller })
  await item.writeTest?.(tx, row.id)
  return { row, isNew: false }
}

/** Throws where another record has the identity that a record is to get. */
async function checkIdentity<Row extends RecordRow, Item, Input>(
  { definition: { store, identity }, tx }: Writing<Row, Item, Input>,
  current: Row,
  columns: OwnColumns<Row>,
): Promise<void> {
  if (identity === undefined || store.identityColumn === undefined) return
  const value = columns[store.identityColumn]
  if (value === null || value === current[store.identityColumn]) return
  const otherId = await store.findIdOf(tx, value)
  if (otherId !== undefined) throw identity.taken(otherId, String(value))
}

/** Inserts new records. An item is stale where another transaction has inserted a record with its identity. */
async function insertItems<Row extends RecordRow, Item, Input>(
  { definition, tx, caller, rows, ownIds }: Writing<Row, Item, Input>,
  items: readonly NewItem<Row, Input>[],
  results: WriteResult<Row>[],
): Promise<void> {
  const { store, clock } = definition
  const columns = items.map(({ item }) => item.columns)
  const inserted = await store.insert(tx, columns, { caller, clock })
  const written = items.flatMap(({ item, index }, place) => {
    const row = inserted[place]
    results[index] = row && done({ row, isNew: true })
    return row === undefined ? [] : [{ row, item }]
  })
  for (const { row, item } of written) {
    rows.set(item.id, row)
    ownIds.add(row.id)
  }
  if (written.length === 0) return
  await definition.afterWrite?.(tx, {
    rows: written.map(({ row }) => row),
    inputs: written.map(({ item }) => item.input),
    before: undefined,
    caller,
  })
  for (const { row, item } of written) await item.writeTest?.(tx, row.id)
}
