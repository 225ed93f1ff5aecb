import { randomUUID } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { NotificationRequest } from '../../mailer/index.ts'
import type { RecipientStatus } from '../notifications/notification.ts'
import {
  type DeliverBy,
  isNotificationDue,
  type NotificationAction,
} from '../notifications/notification-due.ts'
import type { NotifySender } from '../notifications/notify-sender.ts'
import type { ReadSubmission } from '../submission/read-submission.ts'
import type { RecipientReport } from '../submission/recipient-reports.ts'
import type { ClaimedRecipient, MessageFacts } from './queue-store.ts'

/** What happened to a queued message for one recipient. */
export interface QueuedResult {
  recipient: Pick<ClaimedRecipient, 'id' | 'address'>
  report: RecipientReport
  action: NotificationAction
  /** Whether the message failed because its time has ended. */
  hasExpired?: boolean
  /** When it happened, in milliseconds since the epoch. */
  at: number
}

/** Notifies the sender of a queued message of the results of one attempt, as far as notifications are due: once. */
export type NotifyResults = (
  message: MessageFacts,
  results: readonly QueuedResult[],
) => Promise<void>

export interface NotifyResultsOptions {
  notifySender: NotifySender
  /** Reads and decrypts the body of a message. */
  openBody: (messageId: number) => Promise<Uint8Array>
  log: Log
}

export function createNotifyResults(options: NotifyResultsOptions): NotifyResults {
  const { notifySender, openBody, log } = options
  const returned = new Set<number>()
  return async (message, results) => {
    const { id, created_at: receivedAt, sender } = message
    const firstId = Math.min(...results.map(({ recipient }) => recipient.id))
    const hasFailed = results.some(({ action }) => action === 'failed')
    const asked = notificationOf(message)
    const kind = results.every(({ action }) => action === 'delayed') ? 'delayed' : 'end'
    const recipients = results.map(({ report, hasExpired, ...event }): RecipientStatus => {
      return { ...describeRecipient(report, event), hasExpired, willRetryUntil: message.expires_at }
    })
    await notifySender({
      id: `${kind}.${id}.${firstId}.${receivedAt.toString(36)}`,
      message: {
        sender,
        receivedAt,
        notification: hasFailed ? returnOnce(asked, { id, returned }) : asked,
      },
      deliverBy: deliverByOf(message),
      recipients: failedFirst(recipients),
      readMessage: () => openOrWarn(id, { openBody, log }),
    })
  }
}

/** How many messages are known to have been returned. */
const returnedMax = 10_000

/** A sender that asks for the whole message gets it with the first notification only. */
function returnOnce(
  notification: NotificationRequest | undefined,
  { id, returned }: { id: number; returned: Set<number> },
): NotificationRequest | undefined {
  if (notification?.return !== 'FULL') return notification
  if (returned.has(id)) return { ...notification, return: 'HDRS' }
  returned.add(id)
  const [oldest] = returned
  if (returned.size > returnedMax && oldest !== undefined) returned.delete(oldest)
  return notification
}

async function openOrWarn(
  queueId: number,
  { openBody, log }: Pick<NotifyResultsOptions, 'openBody' | 'log'>,
): Promise<Uint8Array | undefined> {
  try {
    return await openBody(queueId)
  } catch (err) {
    if (err instanceof AppError && err.kind === 'upstream') throw err
    log.warn({ err, queueId }, 'message not returned with its notification')
    return undefined
  }
}

const unanswered = 'No server could be asked. The log of Mailyard has the details.'

/** Describes a recipient for a notification. The problems of a connection concern the operator, not the sender. */
export function describeRecipient(
  { address, answer, reply, state }: RecipientReport,
  { action, at }: { action: NotificationAction; at: number },
): RecipientStatus {
  const isAsked = answer !== undefined
  const isOwnReply = state === 'unsent' || state === 'suppressed'
  const reason = isAsked || isOwnReply ? reply.text : unanswered
  return {
    ...{ address, action, reason, reply: answer?.reply ?? null },
    status: isOwnReply ? reply.status : undefined,
    hint: answer?.hint,
    remoteMta: answer?.remoteMta,
    lastAttemptAt: isAsked ? at : undefined,
  }
}

/**
 * What the sender is notified of when a recipient is done; undefined if of nothing: the server sends notifications
 * itself, or the address is suppressed. The sender asked for the suppression, or was notified of what led to it, so it is
 * notified only on request.
 */
export function endAction(
  { address, state, answer }: RecipientReport,
  notification: NotificationRequest | undefined,
): NotificationAction | undefined {
  switch (state) {
    case 'accepted':
      if (answer?.hasNotifications === true) return undefined
      return answer?.reply?.protocol === 'inbox' ? 'delivered' : 'relayed'
    case 'duplicate':
      return undefined
    case 'suppressed':
      return notification?.recipients?.[address]?.notify === undefined ? undefined : 'failed'
    default:
      return 'failed'
  }
}

/**
 * Notifies the sender of a message about recipients for whom it is not stored: a server accepted it, or refused it for
 * good. It does not throw.
 */
export type NotifyUnstored = (
  read: ReadSubmission,
  reports: readonly RecipientReport[],
) => Promise<void>

export function createNotifyUnstored(options: {
  notifySender: NotifySender
  clock: Clock
  log: Log
}): NotifyUnstored {
  const { notifySender, clock, log } = options
  return async ({ submission }, reports) => {
    const { sender, notification, deliverBy, chunks } = submission
    const at = clock.now()
    const recipients = reports.flatMap((report) => {
      const action = endAction(report, notification)
      return action === undefined ? [] : [describeRecipient(report, { action, at })]
    })
    try {
      await notifySender({
        id: `end.${randomUUID()}`,
        message: { sender, receivedAt: at, notification },
        deliverBy,
        recipients: failedFirst(recipients),
        readMessage: async () => Buffer.concat(chunks),
      })
    } catch (err) {
      log.warn({ err }, 'sender not notified')
    }
  }
}

/** Mautic and other programs read only the first recipient of a notification. */
function failedFirst(recipients: readonly RecipientStatus[]): RecipientStatus[] {
  const rank = ({ action }: RecipientStatus) => (action === 'failed' ? 0 : 1)
  return recipients.toSorted((one, other) => rank(one) - rank(other))
}

/** When a sender that asks for notifications of delays gets one, without a time of its own. */
const delayMs = 4 * 3_600_000

/**
 * Returns when the sender of a message is notified that it is not delivered yet, in milliseconds since the epoch;
 * undefined if it did not ask for that.
 */
export function delayNoticeAt(message: MessageFacts, address: string): number | undefined {
  const deliverBy = deliverByOf(message)
  const { notify } = notificationOf(message)?.recipients?.[address] ?? {}
  if (!isNotificationDue('delayed', { notify, deliverBy })) return undefined
  const afterMs = deliverBy?.mode === 'notify' ? Math.max(deliverBy.seconds, 0) * 1_000 : delayMs
  return message.created_at + afterMs
}

export function notificationOf({ notification }: MessageFacts): NotificationRequest | undefined {
  return notification === null ? undefined : (JSON.parse(notification) as NotificationRequest)
}

export function deliverByOf({ deliver_by }: MessageFacts): DeliverBy | undefined {
  return deliver_by === null ? undefined : (JSON.parse(deliver_by) as DeliverBy)
}
