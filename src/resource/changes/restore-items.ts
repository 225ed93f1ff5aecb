import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { createPacer } from '../../kit/pause.ts'
import type { RecordRow } from '../../storage/index.ts'
import { type ChangedRow, existsFor, type ResourceDefinition } from '../definition.ts'
import type { DeletedRecord, DeletedRecords } from '../deleted/deleted-records.ts'
import type { ChangeContext } from '../resource-service.ts'
import { checkIdentity } from './write-items.ts'

/** The definition of a resource whose deleted records are kept. */
export type RestorableDefinition<Row extends RecordRow, Item, Input> = ResourceDefinition<
  Row,
  Item,
  Input
> & { deleted: DeletedRecords }

/** Writes back deleted records in one transaction, with their ids and what was released with them. */
export async function restoreItems<Row extends RecordRow, Item, Input>(
  definition: RestorableDefinition<Row, Item, Input>,
  ids: readonly number[],
  { caller, isAtomic }: ChangeContext,
): Promise<BatchItemResult<ChangedRow<Row>>[]> {
  const { storage, store, lock, deleted } = definition
  const kind = store.table
  return storage.transaction(
    async (tx: Transaction<object>) => {
      if (lock !== undefined) await storage.lock(tx, lock)
      await deleted.lock(tx)
      const records = await deleted.find<Row>(tx, ids, { kind, caller })
      const results: BatchItemResult<ChangedRow<Row>>[] = []
      const pace = createPacer()
      for (const id of ids) {
        results.push(
          await runItem(async () => {
            const record = records.get(id)
            if (record === undefined) throw await notDeleted(definition, { tx, id, caller })
            definition.checkChangeable?.(record.row, caller)
            const restored = await restoreOne(definition, tx, record)
            records.delete(id)
            return restored
          }),
        )
        await pace()
      }
      return results
    },
    {
      keeps: (results: BatchItemResult<ChangedRow<Row>>[]) =>
        !isAtomic || results.every(({ ok }) => ok),
      checksConstraints: true,
    },
  )
}

async function restoreOne<Row extends RecordRow, Item, Input>(
  definition: RestorableDefinition<Row, Item, Input>,
  tx: Transaction<object>,
  { row: asDeleted, related }: DeletedRecord<Row>,
): Promise<ChangedRow<Row>> {
  const { store, deleted } = definition
  const change = await definition.beforeRestore?.(tx, { row: asDeleted, related })
  const row = { ...asDeleted, ...change?.columns }
  const { identityColumn } = store
  if (identityColumn !== undefined) await checkIdentity(definition, tx, row[identityColumn])
  await store.restore(tx, row)
  const unfit = (await definition.afterRestore?.(tx, { row, related })) ?? []
  await deleted.remove(tx, store.table, row.id)
  const warnings = [...(change?.warnings ?? []), ...unfit]
  const consequence = warnings.length === 0 ? undefined : warnings.join(' ')
  return { row, isNew: false, consequence }
}

async function notDeleted<Row extends RecordRow, Item, Input>(
  definition: RestorableDefinition<Row, Item, Input>,
  { tx, id, caller }: { tx: Transaction<object>; id: number; caller: Caller },
): Promise<AppError> {
  const row = (await definition.store.lock(tx, [id])).get(id)
  if (row === undefined || !existsFor(definition, row, caller)) return definition.notFound(id)
  const message = `Record ${id} is not deleted. There is nothing to restore.`
  return new AppError('conflict', 'not_deleted', message)
}
