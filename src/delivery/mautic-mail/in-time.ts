import { AppError } from '../../kit/app-error.ts'

/** How long a message waits for the API of its Mautic. */
const waitMs = 300

/** Waits for a Mautic; returns `otherwise` if it does not answer in time, or not at all. Other errors are thrown. */
export async function inTime<T, Otherwise>(
  work: Promise<T>,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Otherwise>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), waitMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    if (error instanceof AppError && error.kind === 'upstream') return otherwise
    throw error
  } finally {
    clearTimeout(timer)
    // It may still fail after the wait.
    work.catch(() => undefined)
  }
}
