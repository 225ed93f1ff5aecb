import type { Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Log } from '../../../kit/log.ts'
import { type DatabaseFeatures, isUnstorable } from '../../../platform/storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { type DeliveryReference, releaseKeys } from './delivery-keys.ts'
import { storableText } from './delivery-row.ts'
import type { GroupCommit } from './group-commit.ts'
import type { OutcomeEvents } from './outcome-events.ts'
import { openRetriedWrites } from './retried-writes.ts'
import { type LogEntry, startLock } from './start-attempts.ts'

export interface OrphanedAttemptsOptions {
  storage: DatabaseFeatures
  group: GroupCommit
  processId: string
  log: Log
  /** Whether this process knows a started attempt. */
  isInFlight: (id: number) => boolean
  events: OutcomeEvents
}

/**
 * Orphaned attempts: their start was committed, but the connection broke before this process received the answer. It
 * has not sent their messages and never will, so it refuses them as soon as the database answers again. Until then
 * their keys block the same messages.
 */
export function openOrphanedAttempts(options: OrphanedAttemptsOptions) {
  const writes = openRetriedWrites(options.log, {
    failed: 'orphaned attempts not refused',
    recovered: 'orphaned attempts refused',
  })
  const lost = new Set<LogEntry>()
  // In a transaction of its own, and in order: all starts before it are known, and none after it is committed.
  const refuse = options.group.batched(createRefuseOrphans(options), () => Infinity)
  let isRefusing = false
  const refuseAll = async () => {
    while (lost.size > 0) {
      const entries = [...lost]
      await refuse(entries)
      for (const entry of entries) lost.delete(entry)
      options.events.notify(['deferred'])
    }
  }
  return {
    idle: writes.idle,
    drain: writes.drain,
    close: writes.close,
    /** Call it when the start of an attempt failed with this error. */
    add(entry: LogEntry, error: unknown) {
      if (!mayBeCommitted(error)) return
      lost.add(entry)
      if (isRefusing) return
      isRefusing = true
      writes
        .run(refuseAll)
        .finally(() => {
          isRefusing = false
        })
        .catch((err: unknown) => options.log.error({ err }, 'orphaned attempts not refused'))
    },
  }
}

function mayBeCommitted(error: unknown): boolean {
  if (isUnstorable(error)) return false
  return !(error instanceof AppError) || error.code !== 'database_unavailable'
}

/** Turns a lost answer to a start into an error for the submitter: whatever was committed, the message was not sent. */
export function explainFailedStart(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'database_answer_lost') return error
  const message =
    'The database was lost while the delivery was recorded. The message was not sent; try again in a moment.'
  const options = { cause: error, retryAfterSeconds: 5 }
  return new AppError('upstream', 'database_unavailable', message, options)
}

const rowsPerBatch = 500

/** Creates the write that refuses the attempts of lost starts and releases their keys. It throws if it is too early. */
function createRefuseOrphans(options: OrphanedAttemptsOptions) {
  return async (
    tx: Transaction<DeliveryTables>,
    all: readonly (readonly LogEntry[])[],
  ): Promise<undefined[]> => {
    if (!(await options.storage.isLockFree(tx, startLock(options.processId))))
      throw new Error('The database still runs a transaction whose connection was lost.')
    const orphans = await findOrphans(tx, all.flat(), options)
    for (let from = 0; from < orphans.length; from += rowsPerBatch) {
      const some = orphans.slice(from, from + rowsPerBatch)
      const update = tx.updateTable('deliveries').set({
        outcome: 'deferred',
        duration_ms: 0,
        reason: 'It was not sent: the database was lost while the delivery was recorded.',
      })
      const ids = some.map(({ id }) => id)
      await update.where('id', 'in', ids).where('outcome', '=', 'started').execute()
      await releaseKeys(tx, some)
      await options.events.publish(
        tx,
        some.map((orphan) => ({ ...orphan, outcome: 'deferred' as const })),
      )
    }
    return all.map(() => undefined)
  }
}

async function findOrphans(
  tx: Transaction<DeliveryTables>,
  entries: readonly LogEntry[],
  { processId, isInFlight }: Pick<OrphanedAttemptsOptions, 'processId' | 'isInFlight'>,
): Promise<DeliveryReference[]> {
  const times = entries.map(({ startedAt }) => startedAt)
  const attemptKey = (startedAt: number, recipient: string) =>
    `${startedAt} ${storableText(recipient)}`
  const lost = new Set(
    entries.flatMap(({ delivery, startedAt }) =>
      delivery.recipients.map(({ address }) => attemptKey(startedAt, address)),
    ),
  )
  const rows = await tx
    .selectFrom('deliveries')
    .select(['id', 'started_at', 'recipient'])
    .where('outcome', '=', 'started')
    .where('started_at', '>=', Math.min(...times))
    .where('started_at', '<=', Math.max(...times))
    .where('process_id', '=', processId)
    .execute()
  return rows.filter(
    (row) => lost.has(attemptKey(row.started_at, row.recipient)) && !isInFlight(row.id),
  )
}
