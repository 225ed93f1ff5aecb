import type { ServerReply } from '../../../libraries/mailer/index.ts'

/** The message that a notification is about. */
export interface NotifiedMessage {
  /** The sender in the envelope, who gets the notification. Not ''. */
  readonly sender: string
  /** In milliseconds since the Unix epoch, as all times here. */
  readonly receivedAt: number
  /** The message as it was submitted; undefined if it was deleted. */
  readonly raw: Uint8Array | undefined
}

/** A recipient to whom the message is not sent again, and why. */
export interface FailedRecipient {
  readonly address: string
  /** The last reply of a server; null if there was none. */
  readonly reply: ServerReply | null
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
}

/** Formats a time for a header field. */
export function formatDate(time: number): string {
  return new Date(time).toUTCString().replace('GMT', '+0000')
}
