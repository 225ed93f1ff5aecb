import type { Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import { type BatchItemResult, done, failed, runItem } from '../../../kit/batch-item-result.ts'
import { batches } from '../../../kit/batches.ts'
import type { Caller } from '../../../kit/caller.ts'
import { createPacer } from '../../../kit/pause.ts'
import type { RecordRow, RecordStore } from '../../storage/index.ts'
import { type ChangedRow, itemsPerTransaction, type ResourceDefinition } from '../definition.ts'
import type { DeletedRecords } from '../deleted/deleted-records.ts'
import type { Entry, RemovalContext, SeenRevisions } from '../resource-service.ts'

/** The items of a request, and how each part of them is changed in one transaction. */
interface ItemChanges<Row extends RecordRow, Request> {
  requests: readonly Request[]
  context: RemovalContext
  change: (batch: readonly Request[]) => Promise<BatchItemResult<ChangedRow<Row>>[]>
}

/**
 * Runs a change over all items: in one transaction where the request is atomic, else in parts, so that other changes are
 * written in between. Presents the written rows after each transaction, and calls `hooks.afterCommit` unless nothing was committed:
 * one of an atomic request failed, or it was asked what would change.
 */
export async function changeItems<
  Row extends RecordRow,
  Item,
  Input,
  Request extends { id?: number; values?: unknown },
>(
  definition: ResourceDefinition<Row, Item, Input>,
  changed: 'saved' | 'removed' | 'restored',
  { requests, context, change }: ItemChanges<Row, Request>,
): Promise<BatchItemResult<Entry<Item>>[]> {
  const permission = await runItem(() => definition.access?.checkCaller?.(context.caller))
  if (!permission.ok) {
    if (context.isAtomic) throw permission.error
    return requests.map(() => permission)
  }
  await checkSize(definition, requests)
  const entries: BatchItemResult<Entry<Item>>[] = []
  const size = context.isAtomic ? Math.max(requests.length, 1) : itemsPerTransaction
  for (const [index, batch] of batches(requests, size).entries()) {
    const results = await change(batch).catch((error: unknown) => {
      // The parts before are committed, so the rest is answered item by item.
      if (index === 0 || !(error instanceof AppError)) throw error
      return batch.map(() => failed(error))
    })
    entries.push(...(await presentResults(definition, results, context.caller)))
  }
  const isUndone = context.isDryRun === true || (context.isAtomic && entries.some(({ ok }) => !ok))
  if (!isUndone) await definition.hooks?.afterCommit?.(changed, entries)
  return entries
}

/**
 * Changes records in one transaction. It is rolled back unless `keeps`, and run again where a record that it refers to was deleted
 * meanwhile.
 */
export function inTransaction<Row extends RecordRow, Result>(
  { storage, options }: RecordStore<Row>,
  change: (tx: Transaction<object>) => Promise<Result[]>,
  keeps: (results: Result[]) => boolean,
): Promise<Result[]> {
  return storage.transaction(
    async (tx: Transaction<object>) => {
      if (options.lock !== undefined) await storage.lock(tx, options.lock)
      return change(tx)
    },
    { keeps, checksConstraints: true },
  )
}

/** Runs items in order. Other requests are served in between. */
export async function runEach<Item, Value>(
  items: readonly Item[],
  run: (item: Item) => Promise<Value>,
): Promise<BatchItemResult<Value>[]> {
  const pace = createPacer()
  const results: BatchItemResult<Value>[] = []
  for (const item of items) {
    results.push(await runItem(() => run(item)))
    await pace()
  }
  return results
}

async function presentResults<Row extends RecordRow, Item, Input>(
  { present }: ResourceDefinition<Row, Item, Input>,
  results: readonly BatchItemResult<ChangedRow<Row>>[],
  caller: Caller,
): Promise<BatchItemResult<Entry<Item>>[]> {
  const rows = results.flatMap((result) => (result.ok ? [result.value.row] : []))
  const items = (await present(rows, caller)).values()
  return results.map((result) => {
    if (!result.ok) return result
    const { row, isNew, consequence, shownOnce } = result.value
    const shown = items.next().value as Item
    const item = shownOnce === undefined ? shown : { ...shown, ...(shownOnce as Partial<Item>) }
    return done({ item, revision: row.revision, isNew, consequence })
  })
}

const megabyte = 1_048_576
/** How much text the records of one request may hold together: they and the answer are in memory at the same time. */
const requestMegabytesMax = 100

/**
 * Throws an AppError (`too_large`) where the records that a request names hold too much text together, before any is read.
 * A record counts as often as it is named.
 */
async function checkSize<Row extends RecordRow, Item, Input>(
  { store, identity }: ResourceDefinition<Row, Item, Input>,
  requests: readonly { id?: number; values?: unknown }[],
): Promise<void> {
  const { largeColumns = [], identityColumn } = store.options
  if (requests.length < 2 || largeColumns.length === 0) return
  const readBytes = async (values: (number | string)[], column?: string) => {
    const sizes = await store.readSizes([...new Set(values)], largeColumns, column)
    return values.reduce<number>((sum, value) => sum + (sizes.get(value) ?? 0), 0)
  }
  const ids = requests.flatMap(({ id }) => id ?? [])
  const identities = requests.flatMap(({ id, values }) =>
    id === undefined ? (identity?.of(values as Input) ?? []) : [],
  )
  checkBytes((await readBytes(ids)) + (await readBytes(identities, identityColumn)))
}

/** As `checkSize`, for deleted records. */
export async function checkDeletedSize(
  kind: string,
  records: DeletedRecords,
  ids: readonly number[],
): Promise<void> {
  if (ids.length >= 2) checkBytes(await records.readBytes(kind, [...new Set(ids)]))
}

function checkBytes(bytes: number): void {
  if (bytes <= requestMegabytesMax * megabyte) return
  const message =
    `The records of this batch hold ${Math.ceil(bytes / megabyte)} MB together; ` +
    `a batch may have ${requestMegabytesMax} MB. Send it in parts.`
  throw new AppError('too_large', 'batch_too_large', message)
}

/** Throws an AppError (`conflict`) where a record is at none of the revisions that the caller has seen. */
export function checkRevision(current: RecordRow, seen: SeenRevisions): void {
  if (seen === undefined || seen.includes(current.revision)) return
  const message =
    `${current.modified_by ?? 'Another caller'} has changed it since you read it. ` +
    'Read it again and repeat your change.'
  throw new AppError('conflict', 'edit_conflict', message)
}
