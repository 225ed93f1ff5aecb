import { AppError } from '../../kit/app-error.ts'

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
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Otherwise>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), waitMs)
  })
  // It may still fail after the wait.
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } catch (error) {
    if (error instanceof AppError && error.kind === 'upstream') return otherwise
    throw error
  } finally {
    clearTimeout(timer)
  }
}
