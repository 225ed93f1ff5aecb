import { decodeWords } from 'postal-mime'
import { oneLine } from '../../../kit/one-line.ts'
import { quoteReply } from '../../../libraries/mailer/index.ts'
import { statusOf } from './delivery-status.ts'
import { type FailedRecipient, formatDate, type NotifiedMessage } from './notification.ts'
import type { ReturnedHeader } from './returned-header.ts'

/**
 * Headings of the recipients that share them, the most important first. If Mautic does not know the server's words, it looks
 * for the first heading; the others must not hold its words (`delivery … failed`), or it takes every contact for bounced.
 */
const sections = [
  {
    heading:
      'Delivery to the following recipients failed. They do not exist or accept no messages.',
    has: isAddressRefused,
  },
  {
    heading: 'Your message was refused for the following recipients. It is not sent again.',
    has: (each: FailedRecipient) => each.hasExpired !== true,
  },
  {
    heading:
      'Your message could not be delivered to the following recipients in time. It is not sent again.',
    has: () => true,
  },
]

/** The address does not exist, is malformed, or is disabled (RFC 3463, sections 3.2 and 3.3). */
function isAddressRefused(recipient: FailedRecipient): boolean {
  return /^5\.(1\.(1|2|3|4|6|10)|2\.1)$/.test(statusOf(recipient))
}

/** The part of a notification that people read, and its subject. */
export interface NotificationText {
  readonly subject: string
  readonly text: string
}

export function writeNotificationText(
  message: NotifiedMessage,
  recipients: readonly FailedRecipient[],
  { reportingMta, header }: { reportingMta: string; header: ReturnedHeader | undefined },
): NotificationText {
  const original = oneLine(decodeWords(header?.subject ?? ''), 200)
  const sectionOf = (recipient: FailedRecipient) => sections.find(({ has }) => has(recipient))
  const blocks = [
    `This is the mail system at ${reportingMta}.`,
    ...sections.flatMap((section) => {
      const members = recipients.filter((recipient) => sectionOf(recipient) === section)
      return members.length === 0 ? [] : [section.heading, ...members.map(describeRecipient)]
    }),
    describeMessage(message, header?.messageId),
  ]
  return {
    subject: original === '' ? 'Not delivered' : `Not delivered: ${original}`,
    text: `${blocks.join('\r\n\r\n')}\r\n`,
  }
}

function describeRecipient(recipient: FailedRecipient): string {
  const { address, reply, remoteMta = '', reason = '', hint = '' } = recipient
  const server = remoteMta === '' ? 'The server' : `The server ${remoteMta}`
  const quote = reply === null ? '' : quoteReply(reply)
  const lines = [
    oneLine(address, 400),
    quote === '' ? reason : `${server} answered: ${quote}`,
    hint,
  ]
  const [first, ...rest] = lines.map((line) => oneLine(line, 1_000)).filter((line) => line !== '')
  return [`  ${first}`, ...rest.map((line) => `    ${line}`)].join('\r\n')
}

/** The subject is left out: Mautic would take its words for the server's. */
function describeMessage({ receivedAt }: NotifiedMessage, messageId: string | undefined): string {
  const lines = ['Your message:', `  Received:   ${formatDate(receivedAt)}`]
  if (messageId !== undefined) lines.push(`  Message-ID: ${messageId}`)
  return lines.join('\r\n')
}
