import { randomUUID } from 'node:crypto'
import type { ReadSubmission, RecipientReport } from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { NotificationRequest } from '../mailer/index.ts'
import type { NotifySender, RecipientStatus } from '../messages/index.ts'
import { type DeliverBy, isNotificationDue, type NotificationAction } from '../messages/index.ts'
import type { MessageFacts } from './queue-store.ts'

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
    address,
    action,
    reason,
    reply: answer?.reply ?? null,
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

interface EndFacts {
  sender: string
  notification: NotificationRequest | undefined
  deliverBy: DeliverBy | undefined
  at: number
}

/** Describes a recipient that is done, for a notification; undefined if none is due. */
export function endStatus(report: RecipientReport, facts: EndFacts): RecipientStatus | undefined {
  const action = endAction(report, facts.notification)
  return action && dueStatus(report, action, facts)
}

/**
 * Describes what happened to a recipient; undefined if no notification of it is due. The failure of a message from the null
 * sender, such as a notification, is due: it is logged.
 */
export function dueStatus(
  report: RecipientReport,
  action: NotificationAction,
  { sender, notification, deliverBy, at }: EndFacts,
): RecipientStatus | undefined {
  const { notify } = notification?.recipients?.[report.address] ?? {}
  const isLogged = sender === '' && action === 'failed'
  if (!isLogged && !isNotificationDue(action, { notify, deliverBy })) return undefined
  return describeRecipient(report, { action, at })
}

/**
 * Notifies the sender of a message about recipients for whom it is not stored: a server accepted it, or refused it for
 * good. If other recipients are stored, as the message `messageId`, these share the notification of that. It does not throw.
 */
export type NotifyUnstored = (
  read: ReadSubmission,
  reports: readonly RecipientReport[],
  messageId: number | undefined,
) => Promise<void>

export function createNotifyUnstored(options: {
  notifySender: NotifySender
  /** Adds them to the notification of a stored message; returns false if that was deleted. */
  addNotices: (messageId: number, recipients: readonly RecipientStatus[]) => Promise<boolean>
  clock: Clock
  log: Log
}): NotifyUnstored {
  const { notifySender, addNotices, clock, log } = options
  return async ({ submission }, reports, messageId) => {
    const { sender, notification, deliverBy, chunks } = submission
    const at = clock.now()
    const recipients = reports.flatMap((report) => {
      return endStatus(report, { sender, notification, deliverBy, at }) ?? []
    })
    if (recipients.length === 0) return
    try {
      if (messageId !== undefined && (await addNotices(messageId, recipients))) return
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
export function failedFirst(recipients: readonly RecipientStatus[]): RecipientStatus[] {
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
