import type { Transaction } from 'kysely'
import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import type { RecordRow } from '../../storage/index.ts'
import { itemsPerTransaction, type ResourceDefinition } from '../definition.ts'
import { type PreparedItem, prepareItems } from './prepare-items.ts'

/** Checks the creation of items as `saveItems` does, and writes nothing: its transactions are rolled back. */
export async function planItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  inputs: readonly Input[],
  caller: Caller,
): Promise<BatchItemResult<void>[]> {
  const { storage, beforeWrite } = definition
  const requests = inputs.map((values) => ({ mode: 'put' as const, values }))
  const prepared = await prepareItems(definition, requests, caller)
  const checkOne = (tx: Transaction<object>, item: PreparedItem<Row, Input>) =>
    runItem(async () => {
      await beforeWrite?.(tx, { ...item, caller })
    })
  const checked: BatchItemResult<void>[] = []
  for (let start = 0; start < prepared.length; start += itemsPerTransaction) {
    const batch = prepared.slice(start, start + itemsPerTransaction)
    const results = await storage.transaction(
      async (tx: Transaction<object>) => {
        const all: BatchItemResult<void>[] = []
        for (const each of batch) all.push(each.ok ? await checkOne(tx, each.value) : each)
        return all
      },
      { keeps: () => false },
    )
    checked.push(...results)
  }
  return checked
}
