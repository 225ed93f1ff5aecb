import type {
  DeliverRequest,
  DeliverSubmission,
  ReadSubmission,
  RecipientReport,
} from '../../delivery/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { within } from '../../kit/within.ts'
import type { Storage } from '../../storage/index.ts'
import { findQueuedByKey } from '../find-by-key.ts'
import type { Queue } from '../queue.ts'
import { nextStep, queuedTransportId, waitsForOf } from '../retry-schedule.ts'
import type { QueuedRecipient } from '../store-message.ts'
import type { QueuedSend } from './single-answers.ts'

/** What became of a message to one recipient: the report of the attempt, or its place in the queue. */
export type SingleResult = { report: RecipientReport } | { queued: QueuedSend }

export interface DeliverOrStoreOptions {
  deliverSubmission: DeliverSubmission
  storage: Storage
  queue: Pick<Queue, 'add'>
  clock: Clock
  log: Log
  /** How long the caller waits for the server. */
  waitMs: number
}

/**
 * Makes the first attempt to deliver a message to one recipient. It is stored if it is refused for now, or if the attempt
 * takes too long; if it cannot be stored, the caller gets the report. Throws an AppError (`upstream`) if the database is
 * lost before the message is sent.
 */
export type DeliverOrStore = (
  read: ReadSubmission,
  beforeSend: DeliverRequest['beforeSend'],
) => Promise<SingleResult>

export function createDeliverOrStore(options: DeliverOrStoreOptions): DeliverOrStore {
  const { deliverSubmission, clock, waitMs } = options
  const store = createStore(options)
  return async (read, beforeSend) => {
    const [address = ''] = read.submission.recipients
    const attempt = deliverSubmission(read, beforeSend === undefined ? {} : { beforeSend })
    const early = await within(waitMs, attempt)
    if (early === undefined) {
      const queued = await store(read, { address, state: 'claimed' }, attempt)
      if (queued !== undefined) return { queued }
    }
    const [report] = early ?? (await attempt)
    if (report === undefined) throw new Error('The attempt has no report.')
    const facts = { now: clock.now(), attempts: 0, random: Math.random() }
    const recipient = isForNow(report) ? retryOf(report, facts) : undefined
    const queued = recipient === undefined ? undefined : await store(read, recipient)
    return queued === undefined ? { report } : { queued }
  }
}

/**
 * Whether a later attempt may succeed without a person: a server refused the message for now, or its transport gets none
 * now. After `lease_expired` another process has recorded the attempt, and a person may have decided about it.
 */
function isForNow({ state, fault, deferredUntil }: RecipientReport): boolean {
  if (state === 'deferred') return fault?.code !== 'lease_expired'
  return state === 'unsent' && deferredUntil !== undefined
}

function retryOf(
  report: RecipientReport,
  facts: Parameters<typeof nextStep>[1],
): QueuedRecipient | undefined {
  const step = nextStep(report, facts)
  if (step.kind !== 'retry') return undefined
  const { address, reply } = report
  const problem = `${reply.code} ${reply.status} ${reply.text}`
  const due = { state: 'queued' as const, due_at: step.dueAt, attempts: step.attempts }
  const transports = { transport_id: queuedTransportId(report), waits_for: waitsForOf(report) }
  return { address, problem, ...transports, ...due }
}

function createStore({ storage, queue, log }: DeliverOrStoreOptions) {
  return async (
    read: ReadSubmission,
    recipient: QueuedRecipient,
    reports?: Promise<readonly RecipientReport[]>,
  ): Promise<QueuedSend | undefined> => {
    const storing = { read, recipients: [recipient], ...(reports === undefined ? {} : { reports }) }
    try {
      const [added] = (await queue.add(storing)) ?? []
      if (added === undefined) {
        log.warn('email not queued: the queue is full (MAILYARD_QUEUE_MEGABYTES)')
        return undefined
      }
      const reason = recipient.problem ?? null
      if (added.id !== undefined) {
        log.info({ queueId: added.messageId, reason }, 'email queued')
        return { id: added.id, reason }
      }
      // A concurrent request with the same Idempotency-Key has stored it.
      const same = await findQueuedByKey(storage, read.keysOf(recipient.address).messageKey)
      return same && { id: same.id, reason: same.problem }
    } catch (err) {
      if (!(err instanceof AppError)) throw err
      log.warn({ err }, 'email not queued')
      return undefined
    }
  }
}
