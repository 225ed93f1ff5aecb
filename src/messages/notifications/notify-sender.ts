import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Message } from '../../mailer/index.ts'
import { composeNotification } from './compose-notification.ts'
import { statusOf } from './delivery-status.ts'
import type { FailedRecipient, NotifiedMessage } from './notification.ts'
import { NotificationLimit } from './notification-limit.ts'
import { readReturnedHeader } from './returned-header.ts'

/** The failure of a message for some of its recipients. */
export interface NotificationEvent {
  /**
   * Identifies the event, such as `17.failed`. The same event makes the same Message-ID, so that a notification that was
   * sent before a crash is a duplicate after it.
   */
  readonly id: string
  readonly message: Omit<NotifiedMessage, 'raw'>
  readonly recipients: readonly FailedRecipient[]
  /** Reads the message; undefined if it was deleted. */
  readonly readMessage: () => Promise<Uint8Array | undefined>
}

/** Notifies the sender of a message, unless that is the null sender, or the message a notification itself. */
export type NotifySender = (event: NotificationEvent) => Promise<void>

export interface NotifySenderOptions {
  /** Submits a notification, which is sent through the default transport; undefined if there is none. */
  readonly submit: ((notification: Message) => Promise<unknown>) | undefined
  readonly reportingMta: string
  /** The mailbox in From. */
  readonly from: { readonly name: string; readonly address: string }
  /** Called when a notification is dropped because its sender had too many within an hour. */
  readonly onLimited: (() => void) | undefined
  readonly clock: Clock
  readonly log: Log
}

export function createNotifySender(options: NotifySenderOptions): NotifySender {
  const { submit, reportingMta, from, onLimited, clock, log } = options
  const limit = new NotificationLimit(clock)
  return async ({ id, message, recipients, readMessage }) => {
    const { sender } = message
    if (sender === '') {
      logDropped(log, id, recipients)
      return
    }
    const facts = { event: id, recipients: recipients.length }
    if (submit === undefined) {
      log.warn(facts, 'notification dropped: there is no default transport (MAILYARD_MAILER_DSN)')
      return
    }
    if (!limit.admits(sender)) {
      log.warn(facts, 'notification dropped: its sender had too many within an hour')
      onLimited?.()
      return
    }
    const raw = await readMessage()
    // RFC 3464, section 2: never about a notification.
    if (raw !== undefined && readReturnedHeader(raw).isReport) {
      logDropped(log, id, recipients)
      return
    }
    const composed = await composeNotification({
      message: { ...message, raw },
      recipients,
      reportingMta,
      from,
      id,
      now: clock.now(),
    })
    limit.count(sender, composed.raw.length)
    await submit(composed)
    log.info(facts, 'sender notified')
  }
}

/** Logs the failure of a notification, about which no notification is sent. */
function logDropped(log: Log, event: string, recipients: readonly FailedRecipient[]): void {
  const [first] = recipients
  const status = first && statusOf(first)
  const facts = { event, recipients: recipients.length, status }
  log.warn(facts, 'notification dropped: it was not delivered')
}
