import type { Message } from '../../../libraries/mailer/index.ts'
import { formatDeliveryStatus } from './delivery-status.ts'
import { type FailedRecipient, formatDate, type NotifiedMessage } from './notification.ts'
import { writeNotificationText } from './notification-text.ts'
import { formatReturnedHeader, readReturnedHeader } from './returned-header.ts'

export interface ComposeNotificationOptions {
  readonly message: NotifiedMessage
  /** At least one. */
  readonly recipients: readonly FailedRecipient[]
  /** The name of this host. */
  readonly reportingMta: string
  /** The mailbox in From. */
  readonly from: { readonly name: string; readonly address: string }
  /** The Message-ID without its domain. */
  readonly id: string
  /** In milliseconds since the Unix epoch. */
  readonly now: number
}

/**
 * Composes a notification of failure to the sender of a message. Its own sender is null, so that none is ever sent about it.
 * It returns the header of the message.
 * @see RFC 3464; RFC 6522; RFC 3834
 */
export async function composeNotification(options: ComposeNotificationOptions): Promise<Message> {
  const { message, recipients, from, id, now } = options
  const { raw, sender } = message
  const reportingMta = /^[\w.:[\]-]{1,255}$/.test(options.reportingMta)
    ? options.reportingMta
    : 'localhost'
  const header = raw === undefined ? undefined : readReturnedHeader(raw)
  const { subject, text } = writeNotificationText(message, recipients, { reportingMta, header })
  // Loaded with the first notification, because loading it would dominate the start time.
  const { default: MimeNode } = await import('nodemailer/lib/mime-node')
  const root = new MimeNode('multipart/report; report-type=delivery-status')
  root.setHeader('Date', formatDate(now))
  root.setHeader('From', { ...from })
  root.setHeader('To', { name: '', address: sender })
  root.setHeader('Subject', subject)
  root.setHeader('Message-ID', `<${id}@${reportingMta}>`)
  if (header?.messageId !== undefined) {
    root.setHeader('In-Reply-To', header.messageId)
    root.setHeader('References', header.messageId)
  }
  root.setHeader('Auto-Submitted', 'auto-replied')
  const notice = root.createChild('text/plain; charset=utf-8').setContent(text)
  notice.setHeader('Content-Description', 'Notification')
  const status = formatDeliveryStatus(message, recipients, reportingMta)
  const report = root.createChild('message/delivery-status').setContent(status)
  report.setHeader('Content-Description', 'Delivery report')
  if (header !== undefined) root.createChild().setRaw(formatReturnedHeader(header))
  return { envelope: { from: '', to: [sender] }, raw: await root.build() }
}
