import type { Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { BatchItemResult } from '../../../kit/batch-item-result.ts'
import type { Caller } from '../../../kit/caller.ts'
import { formatDate } from '../../../kit/iso-date.ts'
import type { ListQuery, RecordRow, RowList } from '../../storage/index.ts'
import { type ChangedRow, existsFor, type ResourceDefinition, type Trash } from '../definition.ts'
import type { DeletedRecord } from '../deleted/deleted-records.ts'
import type { ChangeContext, DeletedEntries, DeletedItem } from '../resource-service.ts'
import { changeItems, checkDeletedSize, inTransaction, runEach } from './change-items.ts'
import { checkIdentity } from './save-items.ts'

/** Lists and restores the deleted records of a resource. */
export function openDeletedEntries<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  trash: Trash<Row>,
): DeletedEntries<Item> {
  const { store, access } = definition
  return {
    list(query, caller) {
      access?.checkCaller?.(caller)
      return listDeleted(definition, trash, { query, caller })
    },
    async restore(ids, context) {
      await checkDeletedSize(store.options.table, trash.records, ids)
      const requests = ids.map((id) => ({ id }))
      const change = (batch: readonly { id: number }[]) =>
        restoreItems(definition, trash, { batch, context })
      return changeItems(definition, 'restored', { requests, context, change })
    },
  }
}

function listDeleted<Row extends RecordRow, Item, Input>(
  { store, present }: ResourceDefinition<Row, Item, Input>,
  { records }: Trash<Row>,
  { query, caller }: { query: ListQuery; caller: Caller },
): RowList<DeletedItem<Item>> {
  const list = records.list<Row>(store.options.table, query, caller)
  return {
    count: () => list.count(),
    async *pages() {
      for await (const page of list.pages()) {
        const rows = page.map(({ row }) => row)
        const items = await present(rows, caller)
        yield items.map((item, index) => ({
          ...item,
          dateDeleted: formatDate(page[index]?.deletedAt ?? 0),
          deletedBy: page[index]?.deletedBy ?? '',
        }))
      }
    },
  }
}

/** Writes back deleted records in one transaction, with their ids and what was released with them. */
async function restoreItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  trash: Trash<Row>,
  { batch, context }: { batch: readonly { id: number }[]; context: ChangeContext },
): Promise<BatchItemResult<ChangedRow<Row>>[]> {
  const { store, access } = definition
  const { caller, isAtomic } = context
  const ids = batch.map(({ id }) => id)
  return inTransaction(
    store,
    async (tx) => {
      await trash.records.lock(tx)
      const records = await trash.records.find<Row>(tx, ids, { kind: store.options.table, caller })
      return runEach(ids, async (id) => {
        const record = records.get(id)
        if (record === undefined) throw await notDeleted(definition, { tx, id, caller })
        access?.checkChangeable?.(record.row, caller)
        const restored = await restoreOne(definition, trash, { tx, record })
        records.delete(id)
        return restored
      })
    },
    (results) => !isAtomic || results.every(({ ok }) => ok),
  )
}

async function restoreOne<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  trash: Trash<Row>,
  { tx, record }: { tx: Transaction<object>; record: DeletedRecord<Row> },
): Promise<ChangedRow<Row>> {
  const { store } = definition
  const { row: asDeleted, related } = record
  await definition.access?.checkRestorable?.(tx, asDeleted)
  const change = await trash.beforeRestore?.(tx, { row: asDeleted, related })
  const row = { ...asDeleted, ...change?.columns }
  const { identityColumn } = store.options
  if (identityColumn !== undefined) await checkIdentity(definition, tx, row[identityColumn])
  await store.restore(tx, row)
  const unfit = (await trash.afterRestore?.(tx, { row, related })) ?? []
  await trash.records.remove(tx, store.options.table, row.id)
  const warnings = [...(change?.warnings ?? []), ...unfit]
  const consequence = warnings.length === 0 ? undefined : warnings.join(' ')
  return { row, isNew: false, consequence }
}

async function notDeleted<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  { tx, id, caller }: { tx: Transaction<object>; id: number; caller: Caller },
): Promise<AppError> {
  const row = (await definition.store.lock(tx, [id])).get(id)
  if (row === undefined || !existsFor(definition, row, caller)) return definition.notFound(id)
  const message = `Record ${id} is not deleted. There is nothing to restore.`
  return new AppError('conflict', 'not_deleted', message)
}
