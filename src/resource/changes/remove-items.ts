import type { Transaction } from 'kysely'
import { type BatchItemResult, failed, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { createPacer } from '../../kit/pause.ts'
import type { RecordRow } from '../../storage/index.ts'
import { type ChangedRow, existsFor, type ResourceDefinition } from '../definition.ts'
import type { ChangeContext, EntryRemoval } from '../resource-service.ts'
import { checkRevision } from './prepare-items.ts'

type RemovalResult<Row extends RecordRow> = BatchItemResult<ChangedRow<Row>>

/** Deletes records in one transaction, each unless it was changed since the caller has seen it. Returns them as they were. */
export async function removeItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  removals: readonly EntryRemoval[],
  { caller, isAtomic }: ChangeContext,
): Promise<RemovalResult<Row>[]> {
  const { storage, lock } = definition
  return storage.transaction(
    async (tx) => {
      if (lock !== undefined) await storage.lock(tx, lock)
      return removeEach(definition, removals, { tx, caller })
    },
    {
      keeps: (results: RemovalResult<Row>[]) => !isAtomic || results.every(({ ok }) => ok),
      checksConstraints: true,
    },
  )
}

async function removeEach<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  removals: readonly EntryRemoval[],
  { tx, caller }: { tx: Transaction<object>; caller: Caller },
): Promise<RemovalResult<Row>[]> {
  const { store, notFound, beforeRemove } = definition
  const rows = await store.lock(
    tx,
    removals.map(({ id }) => id),
  )
  // An id may be named many times; its refusal is computed once.
  const refused = new Map<number, RemovalResult<Row>>()
  const removeOne = async ({ id, seen }: EntryRemoval): Promise<RemovalResult<Row>> => {
    const row = rows.get(id)
    if (row === undefined || !existsFor(definition, row, caller)) return failed(notFound(id))
    const result = await runItem(async () => {
      checkRevision(row, seen)
      const consequence = await beforeRemove?.(tx, { current: row, caller })
      await store.remove(tx, id)
      return { row, isNew: false, consequence }
    })
    if (result.ok) rows.delete(id)
    else if (seen === undefined) refused.set(id, result)
    return result
  }
  const results: RemovalResult<Row>[] = []
  const pace = createPacer()
  for (const removal of removals) {
    results.push(refused.get(removal.id) ?? (await removeOne(removal)))
    await pace()
  }
  return results
}
