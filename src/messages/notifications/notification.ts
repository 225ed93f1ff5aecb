import type { NotificationRequest, Reply } from '../../mailer/index.ts'
import type { NotificationAction } from './notification-due.ts'

/** The message that a notification is about. */
export interface NotifiedMessage {
  /** The sender in the envelope, who gets the notification. Not ''. */
  readonly sender: string
  /** RET, ENVID and ORCPT as they were submitted. */
  readonly notification: NotificationRequest | undefined
  /** In milliseconds since the Unix epoch, as all times here. */
  readonly receivedAt: number
  /** The message as it was submitted; undefined if it was deleted. */
  readonly raw: Uint8Array | undefined
}

/** What happened to the message for one recipient. */
export interface RecipientStatus {
  readonly address: string
  readonly action: NotificationAction
  /** The last reply of a server; null if there was none. */
  readonly reply: Reply | null
  /** The enhanced status code if no server replied, such as `5.3.4`. */
  readonly status?: string | undefined
  /** Whether the message failed because its time has ended. */
  readonly hasExpired?: boolean | undefined
  /** Says in a sentence why there is no reply. */
  readonly reason?: string | undefined
  /** Says in a sentence what the sender can do. */
  readonly hint?: string | undefined
  /** The name of the server that replied. */
  readonly remoteMta?: string | undefined
  readonly lastAttemptAt?: number | undefined
  /** Until when a `delayed` recipient is tried again. */
  readonly willRetryUntil?: number | undefined
}

/** Formats a time for a header field. */
export function formatDate(time: number): string {
  return new Date(time).toUTCString().replace('GMT', '+0000')
}
