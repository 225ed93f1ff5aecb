import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { RecipientStatus } from '../../messages/index.ts'
import type { RecipientReport } from '../submission/recipient-reports.ts'
import { createReply, type Reply } from '../submission/reply.ts'
import type { BulkBrakes } from './bulk-brakes.ts'
import type { Notices } from './notices.ts'
import {
  delayNoticeAt,
  deliverByOf,
  describeRecipient,
  dueStatus,
  endStatus,
  notificationOf,
} from './notify-result.ts'
import type { QueueLog } from './queue-log.ts'
import type { ClaimedRecipient, MessageFacts, QueueStore, Settlement } from './queue-store.ts'
import { nextStep, queuedTransportId, waitsForOf } from './retry-schedule.ts'

/** The result of an attempt for one recipient. */
export interface AttemptResult {
  message: MessageFacts
  recipient: ClaimedRecipient
  /** Undefined if the attempt threw an error. */
  report: RecipientReport | undefined
  failure: unknown
}

/** Writes again until the database accepts it. */
export type WriteUntilDone = (write: () => Promise<unknown>) => Promise<void>

/**
 * Records what became of the recipients of one attempt; the sender is notified once the message has no recipient left.
 * Returns when the first recipient is due again; infinity if none is.
 */
export type SettleRecipients = (
  message: MessageFacts,
  results: readonly AttemptResult[],
  write: WriteUntilDone,
) => Promise<number>

export interface SettleRecipientsOptions {
  store: QueueStore
  queueLog: QueueLog
  clock: Clock
  log: Log
  /** Returns a number from 0 to 1, exclusive. */
  random: () => number
  notices: Pick<Notices, 'finish' | 'sendDelayed'>
  brakes: Pick<BulkBrakes, 'count'>
  /** Whether a transactional message whose outcome is uncertain is sent again. */
  retriesUncertain: boolean
}

/** What follows an attempt for one recipient. */
interface Decision {
  settlement: Settlement
  /** The notification of a delay that is due. */
  delayed?: { id: number; status: RecipientStatus } | undefined
}

export function createSettleRecipients(options: SettleRecipientsOptions): SettleRecipients {
  const { store, notices } = options
  const decide = createDecide(options)
  return async (message, results, write) => {
    // Recipients that are put off together are due together, so that the sender gets one notification of them.
    const random = options.random()
    const decisions: Decision[] = []
    const decideAll = results.map((result) =>
      write(async () => decisions.push(await decide(result, random))),
    )
    await Promise.all(decideAll)
    const delayed = decisions.flatMap((decision) => decision.delayed ?? [])
    if (delayed.length > 0) await write(() => notices.sendDelayed(message, delayed))
    const dueAts: number[] = []
    const settleAll = decisions.map(({ settlement }) =>
      write(async () => dueAts.push((await store.settle(settlement)) ?? Number.POSITIVE_INFINITY)),
    )
    await Promise.all(settleAll)
    const isDone = decisions.some(({ settlement }) => settlement.state === 'done')
    const hasNotice = decisions.some(({ settlement: each }) => each.state === 'done' && each.notice)
    if (isDone) await write(() => notices.finish(message, Boolean(hasNotice)))
    return Math.min(...dueAts)
  }
}

/** Decides what becomes of a recipient; the delivery log gets the outcome of one that has expired. */
function createDecide(options: SettleRecipientsOptions) {
  const { clock, log, brakes } = options
  const expire = createExpire(options)
  const findStep = createFindStep(options)
  return async (result: AttemptResult, random: number): Promise<Decision> => {
    const { message, recipient } = result
    const report = result.report ?? reportFailure(result)
    const now = clock.now()
    brakes.count(message, report)
    const step = await findStep(result, { report, random })
    const problem = textOf(report.reply)
    const { id } = recipient
    const waitsFor = waitsForOf(report)
    const about = { id, at: now, problem, transportId: queuedTransportId(report), waitsFor }
    if (step.kind === 'done') {
      const accepted = acceptedByBytes(result, now)
      const status = endStatus(report, endFacts(message, now))
      return { settlement: { id, state: 'done', accepted, notice: status && { status, at: now } } }
    }
    if (step.kind === 'uncertain') {
      log.warn({ queueId: message.id, reason: problem }, 'queued message uncertain')
      const attempts = recipient.attempts + 1
      return { settlement: { ...about, state: 'uncertain', dueAt: message.expires_at, attempts } }
    }
    if (report.brakeId !== undefined) {
      const { brakeId } = report
      const { dueAt, attempts } = step
      return { settlement: { ...about, state: 'held', brakeId, dueAt, attempts } }
    }
    if (now >= message.expires_at) return expire(result, report)
    const noticeAt = delayNoticeAt(message, recipient.address) ?? message.expires_at
    // It was not due after that time before.
    const isNoticeDue = now >= noticeAt && recipient.due_at <= noticeAt
    const { attempts } = step
    const nextNoticeAt = noticeAt > now ? noticeAt : message.expires_at
    const dueAt = Math.min(step.dueAt, message.expires_at, nextNoticeAt)
    const retryInMs = dueAt - now
    if (attempts > recipient.attempts)
      log.info({ queueId: message.id, attempts, retryInMs, reason: problem }, 'message deferred')
    return {
      settlement: { ...about, state: 'queued', dueAt, attempts },
      delayed: isNoticeDue ? describeDelay(result, report, now) : undefined,
    }
  }
}

/** Returns the key of an accepted message that only its bytes identify. */
function acceptedByBytes({ message, recipient, report }: AttemptResult, at: number) {
  const isIdentifiedByBytes = report?.state === 'accepted' && message.message_id === null
  return isIdentifiedByBytes ? { messageKey: recipient.message_key, at } : undefined
}

/** Finds what follows an attempt; allows another one of an uncertain message where the settings say so. */
function createFindStep({ queueLog, clock, retriesUncertain }: SettleRecipientsOptions) {
  return async (
    { message, recipient }: AttemptResult,
    { report, random }: { report: RecipientReport; random: number },
  ) => {
    const facts = { now: clock.now(), attempts: recipient.attempts, random }
    const step = nextStep(report, facts)
    const isRetried = retriesUncertain && message.lane === 'transactional'
    if (step.kind !== 'uncertain' || !isRetried) return step
    await queueLog.releaseUncertain(recipient.message_key)
    return nextStep({ ...report, state: 'deferred' }, facts)
  }
}

function createExpire({ queueLog, clock, log }: SettleRecipientsOptions) {
  return async (
    { message, recipient }: AttemptResult,
    report: RecipientReport,
  ): Promise<Decision> => {
    await queueLog.addOutcome({
      outcome: 'expired',
      message,
      address: recipient.address,
      reason: `The message was not delivered in time. The last answer: ${textOf(report.reply)}`,
    })
    log.info({ queueId: message.id, attempts: recipient.attempts }, 'message expired')
    const at = clock.now()
    const status = dueStatus(report, 'failed', endFacts(message, at))
    return {
      settlement: {
        id: recipient.id,
        state: 'done',
        notice: status && { status: { ...status, hasExpired: true }, at },
      },
    }
  }
}

function describeDelay({ message, recipient }: AttemptResult, report: RecipientReport, at: number) {
  const status = describeRecipient(report, { action: 'delayed', at })
  return { id: recipient.id, status: { ...status, willRetryUntil: message.expires_at } }
}

function endFacts(message: MessageFacts, at: number) {
  return {
    sender: message.sender,
    notification: notificationOf(message),
    deliverBy: deliverByOf(message),
    at,
  }
}

function textOf({ code, status, text }: Reply): string {
  return `${code} ${status} ${text}`
}

function reportFailure({ recipient, failure }: AttemptResult): RecipientReport {
  const text = failure instanceof AppError ? failure.message : 'An unexpected error occurred.'
  return { address: recipient.address, state: 'unsent', reply: createReply(451, '4.3.0', text) }
}
