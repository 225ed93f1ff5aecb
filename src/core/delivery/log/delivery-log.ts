import type { Transaction } from 'kysely'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import { idleAll } from '../../../kit/worker.ts'
import type { DeliveryResult } from '../../../libraries/mailer/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { findOriginal } from './delivery-keys.ts'
import { storableText } from './delivery-row.ts'
import { openOutcomes } from './finish-attempts.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { endlessLease, type Lease } from './lease.ts'
import { explainFailedStart, openOrphanedAttempts } from './orphaned-attempts.ts'
import { OutcomeEvents } from './outcome-events.ts'
import {
  commonColumns,
  createStartAttempts,
  type Duplicate,
  type LogEntry,
  type LoggedRecipient,
  type NewDelivery,
  type StartedAttempt,
  type StartResult,
} from './start-attempts.ts'

/** Which recipients may be sent the message: once `flushed` resolves. Where it rejects (AppError `upstream`), do not send. */
export interface StartedDelivery {
  results: readonly StartResult[]
  flushed: Promise<void>
  /** Whether this process may still send it; see `Lease`. */
  isLeaseValid: () => boolean
}

/** Recipients whose message is given to no transport, and why. */
interface SuppressedEntry extends LogEntry {
  recipients: readonly { address: string; reason: string }[]
}

export interface DeliveryLogOptions {
  storage: Storage
  clock: Clock
  processId: string
  log: Log
  /** Default: one that never ends. */
  lease?: Pick<Lease, 'hold'>
  /** Default: one of its own. */
  group?: GroupCommit
  /** Publishes outcomes. Default: nowhere. */
  outcomeEvents?: OutcomeEvents
}

export type DeliveryLog = ReturnType<typeof openDeliveryLog>

/**
 * Records each attempt to deliver a message: its start before a server can receive the message, its outcome after.
 * So nothing is sent twice after a crash; an attempt without an outcome becomes `uncertain`. After a power failure,
 * outcomes of the last ten milliseconds may be missing.
 */
export function openDeliveryLog(options: DeliveryLogOptions) {
  const { storage, clock, log, processId, lease = endlessLease } = options
  const { group = createGroupCommit(storage) } = options
  const db = storage.tables<DeliveryTables>()
  const { outcomeEvents: events = new OutcomeEvents(undefined) } = options
  const outcomes = openOutcomes({ storage, group, log, events })
  const writeSuppressed = group.batched(
    (tx, entries: readonly SuppressedEntry[]) => insertSuppressed(tx, entries, events),
    ({ recipients }) => recipients.length,
  )
  /** The attempts of this process whose outcome is not written yet. */
  const inFlight = new Set<number>()
  const writeStart = group.batched(
    createStartAttempts(options),
    ({ delivery }) => delivery.recipients.length,
  )
  const isInFlight = (id: number) => inFlight.has(id)
  const orphans = openOrphanedAttempts({ storage, group, processId, log, isInFlight, events })
  return {
    /** Records that the message is about to be sent to each recipient who has not had it. */
    async start(delivery: NewDelivery): Promise<StartedDelivery> {
      outcomes.checkCapacity()
      const isLeaseValid = lease.hold()
      const entry = { delivery, startedAt: clock.now(), processId }
      const results = await writeStart(entry).catch((error: unknown) => {
        orphans.add(entry, error)
        throw explainFailedStart(error)
      })
      for (const each of results) if (each.state === 'started') inFlight.add(each.id)
      const flushed = group.flush()
      // A caller without anything to send does not wait for it.
      flushed.catch(() => undefined)
      return { results, flushed, isLeaseValid }
    },
    /** Returns the recipients to whom the message was delivered before, or may have been. */
    async findDuplicates(recipients: readonly LoggedRecipient[]) {
      const duplicates: Duplicate[] = []
      for (const { address, messageKey, bulkKey } of recipients) {
        const keys = [messageKey, bulkKey].filter((key) => key !== null)
        const original = await findOriginal(db, keys)
        if (original !== undefined) duplicates.push({ address, original })
      }
      return duplicates
    },
    /**
     * Records the outcome of started attempts. Resolves once it is written: while the database is lost it is kept in
     * memory and retried. It does not reject.
     */
    async finish(attempts: readonly StartedAttempt[], result: DeliveryResult) {
      await outcomes.write(attempts, result)
      for (const { id } of attempts) inFlight.delete(id)
    },
    /** Resolves when outcomes are written and orphaned attempts refused: whether there were some. */
    idle: () => idleAll([outcomes, orphans]),
    /** Waits until all outcomes are written and orphaned attempts refused; for at most `waitMs` if the database is lost. */
    async drain(waitMs: number) {
      await Promise.all([outcomes.drain(waitMs), orphans.drain(waitMs)])
    },
    /** Ends the retries of what is not written. */
    close() {
      outcomes.close()
      orphans.close()
    },
    /** Records the recipients whose message is given to no transport, because their address is suppressed. */
    async recordSuppressed(delivery: NewDelivery, recipients: SuppressedEntry['recipients']) {
      await writeSuppressed({ delivery, recipients, startedAt: clock.now(), processId })
      events.notify(['suppressed'])
    },
    /** Records that the refusals of these addresses were reported to the Mautic of the message, as bounces. */
    async markBounced(attempts: readonly StartedAttempt[]) {
      for (const { id, startedAt } of attempts) {
        const update = db.updateTable('deliveries').set({ is_bounced: true }).where('id', '=', id)
        // With the time, PostgreSQL changes one partition.
        await update.where('started_at', '=', startedAt).execute()
      }
    },
  }
}

/** Rows in one statement. */
const rowsMax = 100

/** Writes a row for each recipient who is not sent a message. Such a row has no keys: the message may be submitted again. */
async function insertSuppressed(
  tx: Transaction<DeliveryTables>,
  entries: readonly SuppressedEntry[],
  events: OutcomeEvents,
): Promise<undefined[]> {
  const rows = entries.flatMap((entry) => {
    const common = commonColumns(entry)
    return entry.recipients.map(({ address, reason }) => ({
      ...common,
      sender: storableText(common.sender),
      message_id: common.message_id === null ? null : storableText(common.message_id),
      subject: common.subject === null ? null : storableText(common.subject),
      recipient: storableText(address),
      recipient_key: storableText(emailKey(address)),
      outcome: 'suppressed' as const,
      duration_ms: 0,
      reason: storableText(reason),
      request_hash: null,
    }))
  })
  for (let start = 0; start < rows.length; start += rowsMax)
    await events.insert(tx, rows.slice(start, start + rowsMax))
  return entries.map(() => undefined)
}
