import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { RecipientReport } from '../submission/recipient-reports.ts'
import { createReply, type Reply } from '../submission/reply.ts'
import { delayNoticeAt, endAction, type NotifyResult, notificationOf } from './notify-result.ts'
import type { QueueLog } from './queue-log.ts'
import type { ClaimedRecipient, MessageFacts, QueueStore } from './queue-store.ts'
import { nextStep, queuedTransportId } from './retry-schedule.ts'

/** The result of an attempt for one recipient. */
export interface AttemptResult {
  message: MessageFacts
  recipient: ClaimedRecipient
  /** Undefined if the attempt threw an error. */
  report: RecipientReport | undefined
  failure: unknown
}

/**
 * Records what became of a recipient after an attempt. Returns when it is due again; undefined if it is not. Throws an
 * AppError (`upstream`) if the database is lost.
 */
export type SettleRecipient = (result: AttemptResult) => Promise<number | undefined>

export interface SettleRecipientOptions {
  store: QueueStore
  queueLog: QueueLog
  clock: Clock
  log: Log
  /** Returns a number from 0 to 1, exclusive. */
  random: () => number
  notify: NotifyResult
  /** Whether a transactional message whose outcome is uncertain is sent again. */
  retriesUncertain: boolean
}

export function createSettleRecipient(options: SettleRecipientOptions): SettleRecipient {
  const { store, clock, log, notify } = options
  const expire = createExpire(options)
  const decide = createDecide(options)
  return async (result) => {
    const { message, recipient } = result
    const report = result.report ?? reportFailure(result)
    const now = clock.now()
    const step = await decide(result, report)
    const problem = textOf(report.reply)
    const about = { id: recipient.id, problem, transportId: queuedTransportId(report) }
    if (step.kind === 'done') {
      const action = endAction(report, notificationOf(message))
      if (action !== undefined) await notify({ message, recipient, report, action, at: now })
      await store.settle({
        id: recipient.id,
        state: 'done',
        accepted: acceptedByBytes(result, now),
      })
      return undefined
    }
    if (step.kind === 'uncertain') {
      log.warn({ queueId: message.id, reason: problem }, 'queued message uncertain')
      const attempts = recipient.attempts + 1
      await store.settle({ ...about, state: 'uncertain', dueAt: message.expires_at, attempts })
      return undefined
    }
    if (now >= message.expires_at) {
      await expire(result, report)
      return undefined
    }
    const noticeAt = delayNoticeAt(message, recipient.address) ?? message.expires_at
    // It was not due after that time before.
    if (now >= noticeAt && recipient.due_at <= noticeAt)
      await notify({ message, recipient, report, action: 'delayed', at: now })
    const { attempts } = step
    const nextNoticeAt = noticeAt > now ? noticeAt : message.expires_at
    const dueAt = Math.min(step.dueAt, message.expires_at, nextNoticeAt)
    const retryInMs = dueAt - now
    if (attempts > recipient.attempts)
      log.info({ queueId: message.id, attempts, retryInMs, reason: problem }, 'message deferred')
    await store.settle({ ...about, state: 'queued', dueAt, attempts })
    return dueAt
  }
}

/** Returns the key of an accepted message that only its bytes identify. */
function acceptedByBytes({ message, recipient, report }: AttemptResult, at: number) {
  const isIdentifiedByBytes = report?.state === 'accepted' && message.message_id === null
  return isIdentifiedByBytes ? { messageKey: recipient.message_key, at } : undefined
}

/** Decides what follows an attempt; allows another one of an uncertain message where the settings say so. */
function createDecide({ queueLog, clock, random, retriesUncertain }: SettleRecipientOptions) {
  return async ({ message, recipient }: AttemptResult, report: RecipientReport) => {
    const facts = { now: clock.now(), attempts: recipient.attempts, random: random() }
    const step = nextStep(report, facts)
    const isRetried = retriesUncertain && message.lane === 'transactional'
    if (step.kind !== 'uncertain' || !isRetried) return step
    await queueLog.releaseUncertain(recipient.message_key)
    return nextStep({ ...report, state: 'refused' }, facts)
  }
}

function createExpire({ queueLog, notify, store, clock, log }: SettleRecipientOptions) {
  return async ({ message, recipient }: AttemptResult, report: RecipientReport): Promise<void> => {
    await queueLog.addOutcome({
      outcome: 'expired',
      message,
      address: recipient.address,
      reason: `The message was not delivered in time. The last answer: ${textOf(report.reply)}`,
    })
    const result = { message, recipient, report, hasExpired: true, at: clock.now() }
    await notify({ ...result, action: 'failed' })
    await store.settle({ id: recipient.id, state: 'done' })
    log.info({ queueId: message.id, attempts: recipient.attempts }, 'message expired')
  }
}

function textOf({ code, status, text }: Reply): string {
  return `${code} ${status} ${text}`
}

function reportFailure({ recipient, failure }: AttemptResult): RecipientReport {
  const text = failure instanceof AppError ? failure.message : 'An unexpected error occurred.'
  return { address: recipient.address, state: 'unsent', reply: createReply(451, '4.3.0', text) }
}
