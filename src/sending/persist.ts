import { setTimeout } from 'node:timers/promises'
import type { Log } from '../kit/log.ts'

const firstWaitMs = 250
const longestWaitMs = 15_000

/**
 * Writes down what has happened, however often it takes: while the database is gone it waits, since what
 * happened has happened.
 */
export async function persist(write: () => Promise<void>, log: Log): Promise<void> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      await write()
      return
    } catch (err) {
      log.error({ err }, 'what became of a delivery cannot be written down yet')
    }
    await setTimeout(waitMs)
  }
}
