import type { Message } from '../../mailer/index.ts'
import { formatDeliveryStatus } from './delivery-status.ts'
import { formatDate, type NotifiedMessage, type RecipientStatus } from './notification.ts'
import { writeNotificationText } from './notification-text.ts'
import { formatReturnedContent, readReturnedHead } from './returned-content.ts'

export interface ComposeNotificationOptions {
  readonly message: NotifiedMessage
  /** At least one. */
  readonly recipients: readonly RecipientStatus[]
  /** The name of this host. */
  readonly reportingMta: string
  /** The mailbox in From. */
  readonly from: { readonly name: string; readonly address: string }
  /** The Message-ID without its domain. The same id makes the same Message-ID, so that a repetition is recognized. */
  readonly id: string
  /** In milliseconds since the Unix epoch. */
  readonly now: number
  /** The size limit of a message that is returned whole. Only the header fields of a larger one are returned; 0: nothing is. */
  readonly returnedBytesMax: number
}

/**
 * Composes a delivery status notification to the sender of a message. Its own sender is null, and it asks for no
 * notification, so that none is ever sent about it. The message is returned in full only after a failure, and only if the
 * sender asked for it (`RET=FULL`).
 * @see RFC 3464; RFC 6522; RFC 3461, sections 4.3 and 6; RFC 3834
 */
export async function composeNotification(options: ComposeNotificationOptions): Promise<Message> {
  const { message, recipients, from, id, now, returnedBytesMax } = options
  const { raw, sender, notification } = message
  const reportingMta = /^[\w.:[\]-]{1,255}$/.test(options.reportingMta)
    ? options.reportingMta
    : 'localhost'
  const head = raw === undefined ? undefined : readReturnedHead(raw)
  const { subject, text } = writeNotificationText(message, recipients, { reportingMta, head })
  // Loaded with the first notification, because loading it would dominate the start time.
  const { default: MimeNode } = await import('nodemailer/lib/mime-node')
  const root = new MimeNode('multipart/report; report-type=delivery-status')
  root.setHeader('Date', formatDate(now))
  root.setHeader('From', { ...from })
  root.setHeader('To', { name: '', address: sender })
  root.setHeader('Subject', subject)
  root.setHeader('Message-ID', `<${id}@${reportingMta}>`)
  if (head?.messageId !== undefined) {
    root.setHeader('In-Reply-To', head.messageId)
    root.setHeader('References', head.messageId)
  }
  root.setHeader('Auto-Submitted', 'auto-replied')
  const notice = root.createChild('text/plain; charset=utf-8').setContent(text)
  notice.setHeader('Content-Description', 'Notification')
  const status = formatDeliveryStatus(message, recipients, reportingMta)
  const report = root.createChild('message/delivery-status').setContent(status)
  report.setHeader('Content-Description', 'Delivery report')
  if (raw !== undefined && head !== undefined && returnedBytesMax > 0) {
    const hasFailed = recipients.some(({ action }) => action === 'failed')
    const isFull = hasFailed && notification?.return === 'FULL'
    const returned = { isFull, sizeBytesMax: returnedBytesMax }
    root.createChild().setRaw(formatReturnedContent(raw, head, returned))
  }
  return {
    envelope: {
      from: '',
      to: [sender],
      notification: { recipients: { [sender]: { notify: 'NEVER' } } },
    },
    raw: await root.build(),
  }
}
