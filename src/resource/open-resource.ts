import { AppError } from '../kit/app-error.ts'
import { type BatchItemResult, done, failed, runItem } from '../kit/batch-item-result.ts'
import type { Caller } from '../kit/caller.ts'
import { formatDate } from '../kit/iso-date.ts'
import { mapMaybe } from '../kit/maybe-promise.ts'
import { Semaphore } from '../kit/semaphore.ts'
import { changeQueue, type ListQuery, type RecordRow, type RowList } from '../storage/index.ts'
import type { ItemRequest } from './changes/prepare-items.ts'
import { removeItems } from './changes/remove-items.ts'
import { type RestorableDefinition, restoreItems } from './changes/restore-items.ts'
import { Saving } from './changes/save-items.ts'
import {
  type ChangedRow,
  existsFor,
  itemsPerTransaction,
  type ResourceDefinition,
} from './definition.ts'
import type { DeletedRecord, DeletedRecords } from './deleted/deleted-records.ts'
import type {
  ChangeContext,
  DeletedEntries,
  Entry,
  ResourceService,
  SaveContext,
} from './resource-service.ts'

/** What the API does with one kind of record, and the rows themselves for other modules. */
export interface Resource<Row extends RecordRow, Item, Input> extends ResourceService<Item, Input> {
  /** Undefined where no record has this id. */
  findRow: (id: number) => Promise<Row | undefined>
  /** Throws the `notFound` of the definition; with a caller, also for a record outside the caller's scope. */
  getRow: (id: number, caller?: Caller) => Promise<Row>
}

/**
 * Opens the service of a resource. Each change goes through three steps: `prepare` (slow, before the transaction), one short
 * transaction that writes through the store, `present`. Between the first two, `test` runs where the request asks for it.
 */
export function openResource<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
): Resource<Row, Item, Input> {
  const { store, notFound, present, deleted, checkCaller } = definition
  const getById = (id: number, caller?: Caller) => {
    if (caller !== undefined) checkCaller?.(caller)
    return mapMaybe(store.find(id), (row) => {
      if (row === undefined) throw notFound(id)
      if (caller !== undefined && !existsFor(definition, row, caller)) throw notFound(id)
      return row
    })
  }
  const repetitions = new Semaphore({ permits: 1, ...changeQueue })
  const save = async (requests: readonly ItemRequest<Input>[], context: SaveContext) => {
    const results = await changeInParts(definition, { requests, context }, (batch) =>
      new Saving(definition, batch, context).run(repetitions),
    )
    await definition.onSaved?.(results)
    return results
  }
  return {
    findRow: async (id) => store.find(id),
    getRow: async (id, caller) => getById(id, caller),
    findFaults: definition.findFaults ?? (async () => ({})),
    get: (id, caller) =>
      mapMaybe(getById(id, caller), (row) =>
        mapMaybe(present([row], caller), ([item]) => ({
          item: item as Item,
          revision: row.revision,
          isNew: false,
        })),
      ),
    list: (query, caller) =>
      presentList(store.list({ query: inScope(definition, query, caller), caller }), (rows) =>
        present(rows, caller),
      ),
    create: (inputs, context) =>
      save(
        inputs.map((values) => ({ mode: 'put', values })),
        context,
      ),
    edit: save,
    async remove(requests, context) {
      const ids = requests.map(({ id }) => id)
      if (context.isErasing === true && deleted !== undefined)
        await checkDeletedSize(store.table, deleted, ids)
      const results = await changeInParts(definition, { requests, context }, (batch) =>
        removeItems(definition, batch, context),
      )
      await definition.onRemoved?.(results)
      return results
    },
    deleted: deleted && openDeletedEntries({ ...definition, deleted }),
  }
}

/** Lists and restores the deleted records of a resource. */
function openDeletedEntries<Row extends RecordRow, Item, Input>(
  definition: RestorableDefinition<Row, Item, Input>,
): DeletedEntries<Item> {
  const { store, deleted, present, checkCaller } = definition
  return {
    list(query, caller) {
      checkCaller?.(caller)
      const list = deleted.list<Row>(store.table, query, caller)
      const presentPage = async (records: readonly DeletedRecord<Row>[]) => {
        const items = await present(
          records.map(({ row }) => row),
          caller,
        )
        return items.map((item, index) => ({
          ...item,
          dateDeleted: formatDate(records[index]?.deletedAt ?? 0),
          deletedBy: records[index]?.deletedBy ?? '',
        }))
      }
      return presentList(list, presentPage)
    },
    async restore(ids, context) {
      await checkDeletedSize(store.table, deleted, ids)
      const requests = ids.map((id) => ({ id }))
      const results = await changeInParts(definition, { requests, context }, (batch) =>
        restoreItems(
          definition,
          batch.map(({ id }) => id),
          context,
        ),
      )
      await definition.onRestored?.()
      return results
    },
  }
}

/** As `checkSize`, for deleted records. */
async function checkDeletedSize(
  kind: string,
  deleted: DeletedRecords,
  ids: readonly number[],
): Promise<void> {
  if (ids.length < 2) return
  checkBytes(await deleted.readBytes(kind, [...new Set(ids)]))
}

function inScope<Row extends RecordRow, Item, Input>(
  { checkCaller, scopeOf }: ResourceDefinition<Row, Item, Input>,
  query: ListQuery,
  caller: Caller,
): ListQuery {
  checkCaller?.(caller)
  const scope = scopeOf?.(caller)
  if (scope === undefined) return query
  return { ...query, filter: { op: 'and', of: [scope.filter, query.filter] } }
}

/**
 * Runs a change over all items: in one transaction where the request is atomic, else in parts, so that other changes are
 * written in between. Presents the written rows after each transaction.
 */
async function changeInParts<
  Row extends RecordRow,
  Item,
  Input,
  Request extends { id?: number; values?: unknown },
>(
  definition: ResourceDefinition<Row, Item, Input>,
  { requests, context }: { requests: readonly Request[]; context: ChangeContext },
  change: (batch: readonly Request[]) => Promise<BatchItemResult<ChangedRow<Row>>[]>,
): Promise<BatchItemResult<Entry<Item>>[]> {
  const permission = await runItem(() => definition.checkCaller?.(context.caller))
  if (!permission.ok) {
    if (context.isAtomic) throw permission.error
    return requests.map(() => permission)
  }
  await checkSize(definition, requests)
  const entries: BatchItemResult<Entry<Item>>[] = []
  const size = context.isAtomic ? Math.max(requests.length, 1) : itemsPerTransaction
  for (let start = 0; start < requests.length; start += size) {
    const batch = requests.slice(start, start + size)
    const results = await change(batch).catch((error: unknown) => {
      // The parts before are committed, so the rest is answered item by item.
      if (start === 0 || !(error instanceof AppError)) throw error
      return batch.map(() => failed(error))
    })
    entries.push(...(await presentResults(definition, results, context.caller)))
  }
  return entries
}

const megabyte = 1_048_576
/** How much text the records of one request may hold together: they and the answer are in memory at the same time. */
const requestMegabytesMax = 100

/**
 * Throws an AppError (`too_large`) where the records that a request names hold too much text together, before any is read.
 * A record counts as often as it is named.
 */
async function checkSize<Row extends RecordRow, Item, Input>(
  { store, identity, largeColumns = [] }: ResourceDefinition<Row, Item, Input>,
  requests: readonly { id?: number; values?: unknown }[],
): Promise<void> {
  if (requests.length < 2 || largeColumns.length === 0) return
  const readBytes = async (values: (number | string)[], column?: string) => {
    const sizes = await store.readSizes([...new Set(values)], largeColumns, column)
    return values.reduce<number>((sum, value) => sum + (sizes.get(value) ?? 0), 0)
  }
  const ids = requests.flatMap(({ id }) => id ?? [])
  const identities = requests.flatMap(({ id, values }) =>
    id === undefined ? (identity?.of(values as Input) ?? []) : [],
  )
  const bytes =
    (await readBytes(ids)) +
    (identities.length === 0 ? 0 : await readBytes(identities, store.identityColumn))
  checkBytes(bytes)
}

function checkBytes(bytes: number): void {
  if (bytes <= requestMegabytesMax * megabyte) return
  const message =
    `The records of this batch hold ${Math.ceil(bytes / megabyte)} MB together; ` +
    `a batch may have ${requestMegabytesMax} MB. Send it in parts.`
  throw new AppError('too_large', 'batch_too_large', message)
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
    const { row, isNew, consequence } = result.value
    const item = items.next().value as Item
    return done({ item, revision: row.revision, isNew, consequence })
  })
}

function presentList<Row, Item>(
  list: RowList<Row>,
  present: (rows: Row[]) => Item[] | Promise<Item[]>,
): RowList<Item> {
  return {
    count: () => list.count(),
    async *pages() {
      for await (const rows of list.pages()) yield await present(rows)
    },
  }
}
