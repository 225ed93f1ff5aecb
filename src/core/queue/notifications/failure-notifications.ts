import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import type { Message } from '../../../libraries/mailer/index.ts'
import type { FailedRecipient, NotifiedMessage } from '../../mime/index.ts'
import { composeNotification, readReturnedHeader, statusOf } from '../../mime/index.ts'
import { NotificationLimit } from './notification-limit.ts'

/** The failure of a message for some of its recipients. */
export interface MessageFailure {
  /** Identifies it in the log and in the Message-ID of its notification. */
  readonly id: string
  readonly message: Omit<NotifiedMessage, 'raw'>
  readonly recipients: readonly FailedRecipient[]
  /** Reads the message; undefined if it was deleted. */
  readonly readMessage: () => Promise<Uint8Array | undefined>
}

export interface FailureNotificationsOptions {
  /** Whether there is a default transport, which they are sent through. */
  readonly canSend: boolean
  readonly reportingMta: string
  /** The mailbox in From. */
  readonly from: { readonly name: string; readonly address: string }
  /** Called when a notification is dropped because its sender had too many within an hour. */
  readonly onLimited: (() => void) | undefined
  readonly clock: Clock
  readonly log: Log
}

/** The notifications of failure that the senders of messages get. */
export class FailureNotifications {
  readonly #options: FailureNotificationsOptions
  readonly #limit: NotificationLimit

  constructor(options: FailureNotificationsOptions) {
    this.#options = options
    this.#limit = new NotificationLimit(options.clock)
  }

  /** Composes the notification of a failure. Returns undefined where the sender gets none, and logs why. */
  async compose(failure: MessageFailure): Promise<Message | undefined> {
    const { canSend, reportingMta, from, onLimited, clock, log } = this.#options
    const { id, message, recipients } = failure
    const facts = { event: id, recipients: recipients.length }
    if (message.sender === '') return logDropped(log, failure)
    if (!canSend) {
      log.warn(facts, 'notification dropped: there is no default transport (MAILYARD_MAILER_DSN)')
      return undefined
    }
    if (!this.#limit.admits(message.sender)) {
      log.warn(facts, 'notification dropped: its sender had too many within an hour')
      onLimited?.()
      return undefined
    }
    const raw = await failure.readMessage()
    // RFC 3464, section 2: never about a notification.
    if (raw !== undefined && readReturnedHeader(raw).isReport) return logDropped(log, failure)
    const notification = await composeNotification({
      message: { ...message, raw },
      recipients,
      reportingMta,
      from,
      id,
      now: clock.now(),
    })
    this.#limit.count(message.sender, notification.raw.length)
    return notification
  }
}

/** Logs the failure of a notification, about which no notification is sent. */
function logDropped(log: Log, { id, recipients }: MessageFailure): undefined {
  const [first] = recipients
  const status = first && statusOf(first)
  const facts = { event: id, recipients: recipients.length, status }
  log.warn(facts, 'notification dropped: it was not delivered')
}
