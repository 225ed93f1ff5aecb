import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Message } from '../../mailer/index.ts'
import { composeNotification } from './compose-notification.ts'
import { statusOf } from './delivery-status.ts'
import type { NotifiedMessage, RecipientStatus } from './notification.ts'
import { type DeliverBy, isNotificationDue, mayBeNotified } from './notification-due.ts'
import { NotificationLimit } from './notification-limit.ts'

/** What happened to a message for some of its recipients. */
export interface NotificationEvent {
  /**
   * Identifies the event, such as `17.failed`. The same event makes the same Message-ID, so that a notification that was
   * sent before a crash is a duplicate after it.
   */
  readonly id: string
  readonly message: Omit<NotifiedMessage, 'raw'>
  readonly deliverBy?: DeliverBy | undefined
  readonly recipients: readonly RecipientStatus[]
  /** Reads the message; undefined if it was deleted. */
  readonly readMessage: () => Promise<Uint8Array | undefined>
}

/** Notifies the sender of a message, if a notification is due. */
export type NotifySender = (event: NotificationEvent) => Promise<void>

export interface NotifySenderOptions {
  /** Submits a notification, which is sent through the default transport; undefined if there is none. */
  readonly submit: ((notification: Message) => Promise<unknown>) | undefined
  readonly reportingMta: string
  /** The mailbox in From. */
  readonly from: { readonly name: string; readonly address: string }
  /** The size limit of a message that is returned whole. Only the header fields of a larger one are returned. */
  readonly returnedBytesMax: number
  /** Called when a notification is dropped because its sender had too many within an hour. */
  readonly onLimited: (() => void) | undefined
  readonly clock: Clock
  readonly log: Log
}

export function createNotifySender(options: NotifySenderOptions): NotifySender {
  const { submit, reportingMta, from, returnedBytesMax, onLimited, clock, log } = options
  const limit = new NotificationLimit(clock)
  return async ({ id, message, deliverBy, recipients, readMessage }) => {
    const { notification, sender } = message
    if (sender === '') {
      logDropped(log, id, recipients)
      return
    }
    const due = recipients.filter(({ address, action }) => {
      const { notify } = notification?.recipients?.[address] ?? {}
      return isNotificationDue(action, { notify, deliverBy })
    })
    if (due.length === 0) return
    if (submit === undefined) {
      const facts = { event: id, recipients: due.length }
      log.warn(facts, 'notification dropped: there is no default transport (MAILYARD_MAILER_DSN)')
      return
    }
    const admitted = limit.admit(sender)
    if (admitted === 'none') {
      const facts = { event: id, recipients: due.length }
      log.warn(facts, 'notification dropped: its sender had too many within an hour')
      onLimited?.()
      return
    }
    const raw = await readMessage()
    if (!mayBeNotified(sender, raw)) {
      logDropped(log, id, due)
      return
    }
    const composed = await composeNotification({
      message: { ...message, raw },
      recipients: due,
      reportingMta,
      from,
      id,
      now: clock.now(),
      returnedBytesMax: admitted === 'complete' ? returnedBytesMax : 0,
    })
    limit.count(sender, composed.raw.length)
    await submit(composed)
    log.info({ event: id, recipients: due.length }, 'sender notified')
  }
}

/** Logs the failure of a notification, about which no notification is sent. */
function logDropped(log: Log, event: string, recipients: readonly RecipientStatus[]): void {
  const failed = recipients.filter(({ action }) => action === 'failed')
  const [first] = failed
  if (first === undefined) return
  const facts = { event, recipients: failed.length, status: statusOf(first) }
  log.warn(facts, 'notification dropped: it was not delivered')
}
