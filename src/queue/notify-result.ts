import { randomUUID } from 'node:crypto'
import type { ReadSubmission, RecipientReport } from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { FailedRecipient, NotifySender } from '../messages/index.ts'

/**
 * Whether the sender of a message is notified of a recipient that is done: the message failed. Suppressed addresses are no
 * news: the sender asked for the suppression, or was notified of what led to it.
 */
export function isNotified({ state }: RecipientReport): boolean {
  return state !== 'accepted' && state !== 'duplicate' && state !== 'suppressed'
}

/**
 * Describes the failure of a recipient for a notification. `at`: when it failed. The problems of a connection concern the
 * operator, not the sender.
 */
export function describeFailure(
  { address, answer, reply, state }: RecipientReport,
  at: number,
): FailedRecipient {
  const isAsked = answer !== undefined
  const isUnsent = state === 'unsent'
  return {
    address,
    reason:
      isAsked || isUnsent
        ? reply.text
        : 'No server could be asked. The log of Mailyard has the details.',
    reply: answer?.reply ?? null,
    status: isUnsent ? reply.status : undefined,
    hint: answer?.hint,
    remoteMta: answer?.remoteMta,
    lastAttemptAt: isAsked ? at : undefined,
  }
}

/**
 * Notifies the sender of a message of recipients that were refused for good before it was stored for others. If it is stored
 * as the message `messageId`, they share the notification of that. It does not throw.
 */
export type NotifyUnstored = (
  read: ReadSubmission,
  reports: readonly RecipientReport[],
  messageId: number | undefined,
) => Promise<void>

export function createNotifyUnstored(options: {
  notifySender: NotifySender
  /** Adds them to the notification of a stored message; returns false if that was deleted. */
  addNotices: (messageId: number, recipients: readonly FailedRecipient[]) => Promise<boolean>
  clock: Clock
  log: Log
}): NotifyUnstored {
  const { notifySender, addNotices, clock, log } = options
  return async ({ submission }, reports, messageId) => {
    const { sender, chunks } = submission
    const at = clock.now()
    const recipients = reports.filter(isNotified).map((report) => describeFailure(report, at))
    if (recipients.length === 0) return
    try {
      if (messageId !== undefined && (await addNotices(messageId, recipients))) return
      await notifySender({
        id: `end.${randomUUID()}`,
        message: { sender, receivedAt: at },
        recipients,
        readMessage: async () => Buffer.concat(chunks),
      })
    } catch (err) {
      log.warn({ err }, 'sender not notified')
    }
  }
}
