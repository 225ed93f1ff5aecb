import { AppError } from '../../kit/app-error.ts'
import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import type { RecordRow } from '../../storage/index.ts'
import type { ResourceDefinition } from '../definition.ts'
import type { SaveContext } from '../resource-service.ts'
import type { PreparedItem } from './prepare-items.ts'

type Preparation<Row extends RecordRow, Input> = BatchItemResult<PreparedItem<Row, Input>>

/**
 * Tests prepared items, where the request asks for it, with the columns that will be written. An item whose test fails has failed.
 * If the request is atomic and an item has faults, nothing will be written, so no test runs.
 *
 * @throws AppError (`invalid`) if the client disconnected.
 */
export async function testItems<Row extends RecordRow, Item, Input>(
  { test }: ResourceDefinition<Row, Item, Input>,
  prepared: readonly Preparation<Row, Input>[],
  { caller, isAtomic, ifTestPasses }: SaveContext,
): Promise<Preparation<Row, Input>[]> {
  if (ifTestPasses === undefined) return [...prepared]
  if (test === undefined) throw new Error('This resource has no test.')
  if (isAtomic && prepared.some(({ ok }) => !ok)) return [...prepared]
  const ended = new AbortController()
  const signal = AbortSignal.any([ifTestPasses.signal, ended.signal])
  const testOne = async (result: Preparation<Row, Input>) => {
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

/** For a client that disconnects before its tests have ended. */
export function testStopped(): AppError {
  const message = 'The client disconnected. The test was stopped, and nothing was saved.'
  return new AppError('invalid', 'test_stopped', message)
}
