import type { Kysely } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { runQuery, type Statements } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'

/** What looks for beginnings that were written down although this process was told that they were not. */
export interface LostBeginnings {
  /** A beginning has failed just now: it is looked for until it can no longer appear. */
  expect(): void
  close(): void
}

/** How it is looked for. */
export interface LostBeginningsOptions {
  /** Gives up those that began by `time`; see `createGiveUp`. */
  giveUp: (time: number) => Promise<void>
  /** Milliseconds since the epoch, as beginnings have them. */
  now: () => number
  /** How often it is looked, in milliseconds. */
  intervalMs?: number
  /** For how long after the last failure: longer than a database works at a statement of whoever is gone. */
  forMs?: number
}

/**
 * A connection may break after a commit was applied and before that is known here. Nobody sends what began with it, and its
 * key would hold the message off for as long as this process lives.
 */
export function createLostBeginnings({
  giveUp,
  now,
  intervalMs = 2_000,
  forMs = 70_000,
}: LostBeginningsOptions): LostBeginnings {
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let failedAt = 0
  let watchUntil = 0
  const close = () => {
    clearInterval(timer)
    timer = undefined
  }
  const look = async () => {
    if (isLooking) return
    isLooking = true
    const isLast = performance.now() > watchUntil
    try {
      await giveUp(failedAt)
      if (isLast && performance.now() > watchUntil) close()
    } catch {
      // Whoever begins or ends something now is told of a lost database; here it is tried again.
    } finally {
      isLooking = false
    }
  }
  return {
    close,
    expect() {
      failedAt = now()
      watchUntil = performance.now() + forMs
      timer ??= setInterval(() => void look(), intervalMs).unref()
    },
  }
}

/** What whoever hands a message in is told where its beginning failed: whatever was written down, nothing was sent. */
export function notBegun(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'database_answer_lost') return error
  const message =
    'The database was lost while the message was written down. It was not sent; try again in a moment.'
  const options = { cause: error, retryAfterSeconds: 5 }
  return new AppError('upstream', 'database_unavailable', message, options)
}

const rowsAtOnce = 500

/** What this process knows of what it has begun. */
export interface OwnBeginnings {
  processId: string
  /** Whether a delivery is being sent, or its end written down. */
  isUnderWay: (id: number) => boolean
  /** When the oldest began of those whose beginning is just being written down; infinity where there is none. */
  oldestBeginning: () => number
}

/** Gives up what this process began by then, and neither begins, sends nor has ended; the keys are free again. */
export function createGiveUp(
  db: Kysely<DeliveryTables>,
  { processId, isUnderWay, oldestBeginning }: OwnBeginnings,
) {
  return function* (times: readonly number[]): Statements<undefined[]> {
    const begun = db
      .selectFrom('deliveries')
      .select('id')
      .where('outcome', '=', 'started')
      .where('started_at', '<=', Math.max(...times))
      // They may be in this very transaction, and nobody knows their ids yet.
      .where('started_at', '<', Math.min(oldestBeginning(), Number.MAX_SAFE_INTEGER))
      .where('process_id', '=', processId)
    const rows = yield* runQuery<{ id: number }>(begun.compile())
    const lost = rows.map(({ id }) => id).filter((id) => !isUnderWay(id))
    for (let from = 0; from < lost.length; from += rowsAtOnce) {
      const update = db.updateTable('deliveries').set({
        outcome: 'refused',
        is_permanent: false,
        duration_ms: 0,
        reason: 'It was not sent: the database was lost while its beginning was written down.',
        message_key: null,
        bulk_key: null,
      })
      const some = lost.slice(from, from + rowsAtOnce)
      yield* runQuery(update.where('id', 'in', some).where('outcome', '=', 'started').compile())
    }
    return times.map(() => undefined)
  }
}
