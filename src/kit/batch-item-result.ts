import { AppError } from './app-error.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** The result of one item of a batch: its value, or the error that failed this item alone. */
export type BatchItemResult<T> = { ok: true; value: T } | { ok: false; error: AppError }

/** The result of an item that succeeded. */
export const done = <T>(value: T): BatchItemResult<T> => ({ ok: true, value })

/** The result of an item that failed; the other items are processed. */
export const failed = (error: AppError): BatchItemResult<never> => ({ ok: false, error })

/** Returns the results of a batch with changed values. */
export const mapDone = <T>(
  results: readonly BatchItemResult<T>[],
  change: (value: T, index: number) => MaybePromise<T>,
): Promise<BatchItemResult<T>[]> =>
  Promise.all(
    results.map(async (result, index) =>
      result.ok ? done(await change(result.value, index)) : result,
    ),
  )

/** Returns the value of a result, or throws its error. */
export function unwrap<T>(result: BatchItemResult<T> | undefined): T {
  if (result === undefined) throw new Error('The batch has no result for this item.')
  if (!result.ok) throw result.error
  return result.value
}

/** Runs the work of one item. Its AppError becomes the result, unless it is a fault of ours or of the database. */
export async function runItem<T>(work: () => MaybePromise<T>): Promise<BatchItemResult<T>> {
  try {
    return done(await work())
  } catch (error) {
    const isFault = !(error instanceof AppError) || ['upstream', 'internal'].includes(error.kind)
    if (isFault) throw error
    return failed(error)
  }
}
