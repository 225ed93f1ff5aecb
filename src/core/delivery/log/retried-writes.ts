import { backOffMs } from '../../../kit/back-off.ts'
import type { Log } from '../../../kit/log.ts'
import { createOutage, type OutageEvents } from '../../../kit/outage.ts'
import { sleep } from '../../../kit/timers.ts'
import { within } from '../../../kit/within.ts'
import { isUnstorable } from '../../../platform/storage/index.ts'

const retries = { firstMs: 50, longestMs: 5_000 }

export type RetriedWrites = ReturnType<typeof openRetriedWrites>

/**
 * Writes that must not be lost while the database is: they are kept in memory and retried until it accepts them, however
 * long that takes. They keep no process alive.
 */
export function openRetriedWrites(log: Log, events: Pick<OutageEvents, 'failed' | 'recovered'>) {
  const outage = createOutage(log, { level: 'error', ...events })
  const pending = new Set<Promise<unknown>>()
  const hurry = new AbortController()
  let failures = 0
  /** The wait between two tries, shared by all writes, so that they are written together. */
  let waiting: Promise<void> | undefined
  const wait = async () => {
    if (hurry.signal.aborted) await sleep(retries.firstMs, { isRef: false })
    else await sleep(backOffMs(retries, failures), { signal: hurry.signal, isRef: false })
    failures += 1
    waiting = undefined
  }
  let size = 0
  let isClosed = false
  const retry = async <Result>(write: () => Promise<Result>): Promise<Result | undefined> => {
    while (!isClosed)
      try {
        const result = await write()
        outage.recover()
        failures = 0
        return result
      } catch (err) {
        if (isUnstorable(err)) throw err
        outage.report(err)
        waiting ??= wait()
        await waiting
      }
    return undefined
  }
  return {
    /**
     * Resolves with its result once `write` has succeeded; with undefined if the retries were ended before. Rejects if the
     * database can never store it (`isUnstorable`).
     *
     * @param ownSize What it adds to `size` while it is retried.
     */
    run: <Result>(write: () => Promise<Result>, ownSize = 1): Promise<Result | undefined> => {
      size += ownSize
      const written = retry(write).finally(() => {
        size -= ownSize
        pending.delete(written)
      })
      pending.add(written)
      return written
    },
    /** The size of what is not written yet. */
    get size() {
      return size
    },
    /** Resolves when what is being written now is written: whether something was. */
    idle: async () => (await Promise.allSettled(pending)).length > 0,
    /** Retries without long waits, until everything is written, or for `waitMs`. */
    drain: async (waitMs: number) => {
      hurry.abort()
      await within(Math.max(0, waitMs), Promise.allSettled(pending))
      if (size > 0) log.error({ count: size }, events.failed)
    },
    /** Ends the retries. */
    close: () => {
      isClosed = true
    },
  }
}
