import { AppError } from '../../kit/app-error.ts'
import { type BatchItemResult, failed } from '../../kit/batch-item-result.ts'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { RecordRow } from '../../storage/index.ts'
import type { ChangedRow, ResourceDefinition } from '../definition.ts'
import type { SaveContext } from '../resource-service.ts'
import { type ItemRequest, prepareItems } from './prepare-items.ts'
import { testItems } from './test-items.ts'
import { type WriteResult, writeItems } from './write-items.ts'

/** What saving needs. */
export interface Saving<Row extends RecordRow, Item, Input> {
  definition: ResourceDefinition<Row, Item, Input>
  /** One request at a time repeats its items, so that each request succeeds in the end. */
  repetitions: Semaphore
}

/** How often an item is prepared again while other changes come first. */
const repetitionsMax = 50

/**
 * Saves items: prepares them, tests them if the request asks for it, then writes them in one short transaction. Items are prepared
 * and written again where other changes came in between; an item that was tested fails instead, because what it would become
 * was not tested. Where the request is atomic, all items are written or none.
 */
export async function saveItems<Row extends RecordRow, Item, Input>(
  { definition, repetitions }: Saving<Row, Item, Input>,
  requests: readonly ItemRequest<Input>[],
  context: SaveContext,
): Promise<BatchItemResult<ChangedRow<Row>>[]> {
  const results = await saveOnce(definition, { requests, isWhole: true }, context)
  if (!results.includes(undefined)) return results as BatchItemResult<ChangedRow<Row>>[]
  if (context.ifTestPasses !== undefined)
    return results.map((result) => result ?? failed(changedDuringTest()))
  await repetitions.run(async () => {
    for (let repetition = 0; repetition < repetitionsMax; repetition++) {
      await repeat(definition, { requests, results }, context)
      if (!results.includes(undefined)) break
    }
  })
  return results.map((result) => result ?? failed(changedTooOften()))
}

/** Saves stale items again; of an atomic request, all items that have not failed. Replaces their results. */
async function repeat<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  { requests, results }: { requests: readonly ItemRequest<Input>[]; results: WriteResult<Row>[] },
  context: SaveContext,
): Promise<void> {
  const isLeft = (result: WriteResult<Row>) =>
    context.isAtomic ? result?.ok !== false : result === undefined
  const indexes = [...results.keys()].filter((index) => isLeft(results[index]))
  const left = requests.filter((_request, index) => isLeft(results[index]))
  const part = { requests: left, isWhole: left.length === requests.length }
  const again = await saveOnce(definition, part, context)
  for (const [place, index] of indexes.entries()) results[index] = again[place]
}

/** `isWhole` is false where other items of the request have failed, so that an atomic one must not be committed. */
async function saveOnce<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  { requests, isWhole }: { requests: readonly ItemRequest<Input>[]; isWhole: boolean },
  context: SaveContext,
): Promise<WriteResult<Row>[]> {
  const { storage, lock } = definition
  const { caller, isAtomic, isDryRun = false } = context
  const untested = await prepareItems(definition, requests, caller)
  const prepared = await testItems(definition, untested, context)
  const good = prepared.flatMap((result) => (result.ok ? [result.value] : []))
  if (good.length === 0) return prepared as BatchItemResult<never>[]
  const isComplete = isWhole && good.length === prepared.length
  const written = await storage.transaction(
    async (tx) => {
      if (lock !== undefined) await storage.lock(tx, lock)
      return writeItems({ definition, tx, caller }, good)
    },
    {
      keeps: (results: WriteResult<Row>[]) =>
        !isDryRun && (!isAtomic || (isComplete && results.every((result) => result?.ok))),
      checksConstraints: true,
    },
  )
  let next = 0
  return prepared.map((result) => (result.ok ? written[next++] : result))
}

function changedDuringTest(): AppError {
  const message =
    'It is no longer as it was when its test began, so nothing was changed. Read it again and repeat your change.'
  return new AppError('conflict', 'edit_conflict', message)
}

function changedTooOften(): AppError {
  const message = 'Others keep changing it, or what it depends on. Repeat your change later.'
  return new AppError('conflict', 'edit_conflict', message)
}
