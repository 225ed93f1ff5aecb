import { AppError } from '../../kit/app-error.ts'
import { type BatchItemResult, failed, runItem } from '../../kit/batch-item-result.ts'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { RecordRow } from '../../storage/index.ts'
import type { ChangedRow, ResourceDefinition } from '../definition.ts'
import type { SaveContext } from '../resource-service.ts'
import { type ItemRequest, type PreparedItem, prepareItems } from './prepare-items.ts'
import { type WriteResult, Writing } from './write-items.ts'

/** How often an item is prepared again while other changes come first. */
const repetitionsMax = 50

/**
 * Saves items: prepares them, tests them if the request asks for it, then writes them in one short transaction. Items are prepared
 * and written again where other changes came in between; an item that was tested fails instead, because what it would become
 * was not tested. Where the request is atomic, all items are written or none.
 */
export class Saving<Row extends RecordRow, Item, Input> {
  readonly #definition: ResourceDefinition<Row, Item, Input>
  readonly #requests: readonly ItemRequest<Input>[]
  readonly #context: SaveContext

  constructor(
    definition: ResourceDefinition<Row, Item, Input>,
    requests: readonly ItemRequest<Input>[],
    context: SaveContext,
  ) {
    this.#definition = definition
    this.#requests = requests
    this.#context = context
  }

  /** @param repetitions One request at a time repeats its items, so that each request succeeds in the end. */
  async run(repetitions: Semaphore): Promise<BatchItemResult<ChangedRow<Row>>[]> {
    const results = await this.#saveOnce(this.#requests)
    if (this.#context.ifTestPasses !== undefined)
      return results.map((result) => result ?? failed(changedDuringTest()))
    if (results.includes(undefined))
      await repetitions.run(async () => {
        for (let count = 0; count < repetitionsMax && results.includes(undefined); count++)
          await this.#repeat(results)
      })
    return results.map((result) => result ?? failed(changedTooOften()))
  }

  /** Saves stale items again; of an atomic request, all items that have not failed. Replaces their results. */
  async #repeat(results: WriteResult<Row>[]): Promise<void> {
    const isLeft = (index: number) =>
      this.#context.isAtomic ? results[index]?.ok !== false : results[index] === undefined
    const indexes = [...results.keys()].filter(isLeft)
    const again = await this.#saveOnce(this.#requests.filter((_request, index) => isLeft(index)))
    for (const [place, index] of indexes.entries()) results[index] = again[place]
  }

  async #saveOnce(requests: readonly ItemRequest<Input>[]): Promise<WriteResult<Row>[]> {
    const { storage, lock } = this.#definition
    const { caller, isAtomic } = this.#context
    const prepared = await this.#test(await prepareItems(this.#definition, requests, caller))
    const good = prepared.flatMap((result) => (result.ok ? [result.value] : []))
    if (good.length === 0) return prepared as BatchItemResult<never>[]
    const isComplete = good.length === this.#requests.length
    const written = await storage.transaction(
      async (tx) => {
        if (lock !== undefined) await storage.lock(tx, lock)
        return new Writing(this.#definition, tx, caller).write(good)
      },
      {
        keeps: (results: WriteResult<Row>[]) =>
          !isAtomic || (isComplete && results.every((result) => result?.ok)),
        checksConstraints: true,
      },
    )
    let next = 0
    return prepared.map((result) => (result.ok ? written[next++] : result))
  }

  /**
   * Tests prepared items, where the request asks for it, with the columns that will be written. An item whose test fails has failed.
   * If the request is atomic and an item has faults, nothing will be written, so no test runs.
   *
   * @throws AppError (`invalid`) if the client disconnected.
   */
  async #test(prepared: BatchItemResult<PreparedItem<Row, Input>>[]): Promise<typeof prepared> {
    const { test } = this.#definition
    const { caller, isAtomic, ifTestPasses } = this.#context
    if (ifTestPasses === undefined) return prepared
    if (test === undefined) throw new Error('This resource has no test.')
    if (isAtomic && prepared.some(({ ok }) => !ok)) return prepared
    const ended = new AbortController()
    const signal = AbortSignal.any([ifTestPasses.signal, ended.signal])
    const testOne = async (result: BatchItemResult<PreparedItem<Row, Input>>) => {
      if (!result.ok) return result
      const { value: item } = result
      return runItem(async () => ({ ...item, writeTest: await test({ ...item, caller, signal }) }))
    }
    try {
      const tested = await Promise.all(prepared.map(testOne))
      if (ifTestPasses.signal.aborted) throw testStopped()
      return tested
    } finally {
      // After a fault of ours, the other tests stop too.
      ended.abort()
    }
  }
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

/** For a client that disconnects before its tests have ended. */
export function testStopped(): AppError {
  const message = 'The client disconnected. The test was stopped, and nothing was saved.'
  return new AppError('invalid', 'test_stopped', message)
}
