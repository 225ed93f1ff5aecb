import { AppError } from '../kit/app-error.ts'
import { within } from '../kit/within.ts'

/** How long a message waits for the API of its Mautic while its client waits for the answer. */
export const clientWaitMs = 300
/** The same for a message in the queue. */
export const queueWaitMs = 3_000

/** Waits for a Mautic; returns `otherwise` if it does not answer in time, or not at all. Other errors are thrown. */
export async function inTime<T, Otherwise>(
  work: Promise<T>,
  otherwise: Otherwise,
  waitMs = clientWaitMs,
): Promise<T | Otherwise> {
  try {
    const answer = await within(
      waitMs,
      work.then((value) => ({ value })),
    )
    return answer === undefined ? otherwise : answer.value
  } catch (error) {
    if (error instanceof AppError && error.kind === 'upstream') return otherwise
    throw error
  }
}
