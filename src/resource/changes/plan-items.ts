import type { Transaction } from 'kysely'
import { type BatchItemResult, done, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { createPacer } from '../../kit/pause.ts'
import type { RecordRow } from '../../storage/index.ts'
import { itemsPerTransaction, type ResourceDefinition } from '../definition.ts'
import type { FieldChange, PlannedChange } from '../resource-service.ts'
import { type PreparedItem, prepareItems } from './prepare-items.ts'

type Preparation<Row extends RecordRow, Input> = BatchItemResult<PreparedItem<Row, Input>>

/** Plans the creation of items without writing anything: runs the checks that `saveItems` runs, in the same order. */
export async function planItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  inputs: readonly Input[],
  caller: Caller,
): Promise<BatchItemResult<PlannedChange>[]> {
  const requests = inputs.map((values) => ({ mode: 'put' as const, values }))
  const prepared = await prepareItems(definition, requests, caller)
  const checked = await checkItems(definition, prepared, caller)
  const creators = new Map<number, number>()
  const plan: BatchItemResult<PlannedChange>[] = []
  const pace = createPacer()
  for (const [place, result] of checked.entries()) {
    plan.push(result.ok ? done(await planOne(definition, result.value, creators)) : result)
    if (result.ok && result.value.current === undefined) creators.set(result.value.id, place)
    await pace()
  }
  return plan
}

/** Runs the checks of the transaction, in transactions that are rolled back. */
async function checkItems<Row extends RecordRow, Item, Input>(
  { storage, beforeWrite }: ResourceDefinition<Row, Item, Input>,
  prepared: readonly Preparation<Row, Input>[],
  caller: Caller,
): Promise<Preparation<Row, Input>[]> {
  if (beforeWrite === undefined) return [...prepared]
  const checkOne = (tx: Transaction<object>, item: PreparedItem<Row, Input>) =>
    runItem(async () => {
      await beforeWrite(tx, { ...item, caller })
      return item
    })
  const checked: Preparation<Row, Input>[] = []
  for (let start = 0; start < prepared.length; start += itemsPerTransaction) {
    const batch = prepared.slice(start, start + itemsPerTransaction)
    const results = await storage.transaction(
      async (tx: Transaction<object>) => {
        const all: Preparation<Row, Input>[] = []
        for (const each of batch) all.push(each.ok ? await checkOne(tx, each.value) : each)
        return all
      },
      { keeps: () => false },
    )
    checked.push(...results)
  }
  return checked
}

async function planOne<Row extends RecordRow, Item, Input>(
  { toInput }: ResourceDefinition<Row, Item, Input>,
  { current, columns, id, isUnchanged }: PreparedItem<Row, Input>,
  creators: ReadonlyMap<number, number>,
): Promise<PlannedChange> {
  if (current === undefined) return { action: 'create' }
  const sameAs = creators.get(id)
  const target = id > 0 ? { id } : sameAs === undefined ? {} : { sameAs }
  if (isUnchanged) return { action: 'none', ...target }
  const after = await toInput({ ...current, ...columns })
  return { action: 'update', ...target, fields: compare(await toInput(current), after) }
}

function compare(before: unknown, after: unknown): Record<string, FieldChange> {
  const old = before as Readonly<Record<string, unknown>>
  const fields = Object.entries(after as object).flatMap(([name, value]) => {
    const change = compareValues(old[name] ?? null, value ?? null)
    return change === undefined ? [] : [[name, change] as const]
  })
  return Object.fromEntries(fields)
}

/** Returns the change of a value. Lists are reduced to their differences, so that the answer is no larger than the request. */
function compareValues(before: unknown, after: unknown): FieldChange | undefined {
  if (!Array.isArray(after)) return before === after ? undefined : { before, after }
  const [old, fresh] = [
    new Set<unknown>((before as unknown[] | null) ?? []),
    new Set<unknown>(after),
  ]
  const added = [...fresh].filter((each) => !old.has(each))
  const removed = [...old].filter((each) => !fresh.has(each))
  return added.length + removed.length === 0 ? undefined : { added, removed }
}
