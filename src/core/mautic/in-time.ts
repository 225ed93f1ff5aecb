import { AppError } from '../../kit/app-error.ts'
import { within } from '../../kit/within.ts'

/** How long a message waits for the API of its Mautic at a time. Where the answer decides about it, it is tried again with it. */
export const mauticWaitMs = 300

/** Waits for a Mautic; returns `otherwise` if it does not answer in time, or not at all. Other errors are thrown. */
export async function inTime<T, Otherwise>(
  work: Promise<T>,
  otherwise: Otherwise,
  waitMs = mauticWaitMs,
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
