import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import {
  createFinishAttempts,
  type FinishedAttempts,
  type FinishedRow,
  reduceOutcome,
  rowsOf,
} from './finish-attempts.ts'
import type { GroupCommit } from './group-commit.ts'
import type { OutcomeEvents } from './outcome-events.ts'
import { openRetriedWrites, type RetriedWrites } from './retried-writes.ts'

/** The outcomes of attempts, on their way to the database. They are kept in memory until they are written. */
export interface Outcomes extends Pick<RetriedWrites, 'drain' | 'close'> {
  /** Resolves once the outcome is written. It does not reject. */
  write(finished: FinishedAttempts): Promise<void>
  /** Whether so many wait for the database that nothing more should be sent. */
  isFull(): boolean
}

/** The most outcomes in memory: some ten megabytes. */
const waitingMax = 10_000

export interface OutcomesOptions {
  storage: Pick<Storage, 'tables'>
  group: GroupCommit
  log: Log
  events: OutcomeEvents
}

export function openOutcomes({ storage, group, log, events }: OutcomesOptions): Outcomes {
  const finish = group.batched(createFinishAttempts(storage, events), (rows) => rows.length)
  const writes = openRetriedWrites(log, {
    failed: 'delivery outcomes not written',
    recovered: 'delivery outcomes written again',
  })
  return {
    ...writes,
    isFull: () => writes.size >= waitingMax,
    async write(finished) {
      const rows = rowsOf(finished)
      const write = (some: readonly FinishedRow[]) => writes.run(() => finish(some), some.length)
      const notify = () => events.notify(rows.map(({ outcome }) => outcome))
      try {
        await write(rows)
        notify()
      } catch (err) {
        const deliveryIds = rows.map(({ id }) => id)
        log.error({ err, deliveryIds }, 'delivery outcome stored without the words of the server')
        await write(rows.map(reduceOutcome)).then(notify, (error: unknown) => {
          log.error({ err: error, deliveryIds }, 'delivery outcome not stored')
        })
      }
    },
  }
}

/** The error of a start while too many outcomes wait for the database. */
export function tooManyOutcomes(): AppError {
  const message = `${waitingMax} outcomes of deliveries wait for the database. Nothing more is sent until it stores them; try again in a moment.`
  return new AppError('upstream', 'database_unavailable', message, { retryAfterSeconds: 5 })
}
