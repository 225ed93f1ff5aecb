import { setTimeout } from 'node:timers/promises'
import type { Log } from '../kit/log.ts'
import { isUnstorable } from '../storage/index.ts'

const firstWaitMs = 250
const longestWaitMs = 15_000

/**
 * Writes down what has happened, however often it takes: while the database is gone it waits, since what
 * happened has happened. What the database does not take is told in the log, and left: the delivery is in
 * doubt once this process has ended. It keeps no process alive.
 */
export async function persist(write: () => Promise<void>, log: Log): Promise<void> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      await write()
      return
    } catch (err) {
      if (isUnstorable(err)) {
        const text =
          'the database does not take what became of a delivery: once this process has ended, it is uncertain and can be settled'
        log.error({ err }, text)
        return
      }
      log.error({ err }, 'what became of a delivery cannot be written down yet')
    }
    await setTimeout(waitMs, undefined, { ref: false })
  }
}
