import { decodeWords } from 'postal-mime'
import { oneLine } from '../../kit/one-line.ts'
import { quoteReply, statusOf } from './delivery-status.ts'
import { formatDate, type NotifiedMessage, type RecipientStatus } from './notification.ts'
import type { ReturnedHead } from './returned-content.ts'

/**
 * Headings of the recipients that share them, the most important first. If Mautic does not know the server's words, it looks
 * for the first heading; the others must not hold its words (`delivery … failed`), or it takes every contact for bounced.
 */
const sections = [
  {
    subject: 'Not delivered',
    heading:
      'Delivery to the following recipients failed. They do not exist or accept no messages.',
    has: (each: RecipientStatus) => each.action === 'failed' && isAddressRefused(each),
  },
  {
    subject: 'Not delivered',
    heading: 'Your message was refused for the following recipients. It is not sent again.',
    has: (each: RecipientStatus) => each.action === 'failed' && each.hasExpired !== true,
  },
  {
    subject: 'Not delivered',
    heading:
      'Your message could not be delivered to the following recipients in time. It is not sent again.',
    has: (each: RecipientStatus) => each.action === 'failed',
  },
  {
    subject: 'Delayed',
    heading:
      'Your message has not been delivered to the following recipients yet. It is sent again; you need not do anything.',
    has: (each: RecipientStatus) => each.action === 'delayed',
  },
  {
    subject: 'Delivered',
    heading: 'Your message was delivered to the following recipients.',
    has: (each: RecipientStatus) => each.action === 'delivered' || each.action === 'expanded',
  },
  {
    subject: 'Relayed',
    heading:
      'Your message was accepted for the following recipients by a server that sends no notifications. You may get none when it is delivered.',
    has: (each: RecipientStatus) => each.action === 'relayed',
  },
] as const

/** The address does not exist, is malformed, or is disabled (RFC 3463, sections 3.2 and 3.3). */
function isAddressRefused(recipient: RecipientStatus): boolean {
  return /^5\.(1\.(1|2|3|4|6|10)|2\.1)$/.test(statusOf(recipient))
}

/** The part of a notification that people read, and its subject. */
export interface NotificationText {
  readonly subject: string
  readonly text: string
}

export function writeNotificationText(
  message: NotifiedMessage,
  recipients: readonly RecipientStatus[],
  { reportingMta, head }: { reportingMta: string; head: ReturnedHead | undefined },
): NotificationText {
  const original = oneLine(decodeWords(head?.subject ?? ''), 200)
  const sectionOf = (recipient: RecipientStatus) => sections.find(({ has }) => has(recipient))
  const present = sections.flatMap((section) => {
    const members = recipients.filter((recipient) => sectionOf(recipient) === section)
    return members.length === 0 ? [] : [{ ...section, members }]
  })
  const [first = sections[0]] = present
  const blocks = [
    `This is the mail system at ${reportingMta}.`,
    ...present.flatMap(({ heading, members }) => [heading, ...members.map(describeRecipient)]),
    describeMessage(message, head?.messageId),
  ]
  return {
    subject: original === '' ? first.subject : `${first.subject}: ${original}`,
    text: `${blocks.join('\r\n\r\n')}\r\n`,
  }
}

function describeRecipient(recipient: RecipientStatus): string {
  const { address, reply, remoteMta = '', reason = '', hint = '', willRetryUntil } = recipient
  const server = remoteMta === '' ? 'The server' : `The server ${remoteMta}`
  const quote = reply === null ? '' : quoteReply(reply)
  const isRetried = recipient.action === 'delayed' && willRetryUntil !== undefined
  const lines = [
    oneLine(address, 400),
    quote === '' ? reason : `${server} answered: ${quote}`,
    isRetried ? `It is sent again until ${formatDate(willRetryUntil)}.` : '',
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
