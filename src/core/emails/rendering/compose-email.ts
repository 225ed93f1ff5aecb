import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../kit/clock.ts'
import type { Message } from '../../../libraries/mailer/index.ts'
import { encodeDisplayName, encodeHeaderText, encodeQuotedPrintable } from '../../mime/index.ts'
import type { MessageLinks } from './links.ts'
import { transportHeader } from './named-transport.ts'

/** An address, with or without a name. */
export interface Mailbox {
  address: string
  name: string
}

/** An email that is rendered for one recipient. */
export interface RenderedEmail {
  from: Mailbox
  to: Mailbox
  replyTo: string | null
  subject: string
  html: string | null
  text: string | null
  /** More headers, by name. */
  headers: Readonly<Record<string, string>>
}

/** Whether a rendered email has neither HTML nor text. */
export function isEmpty({ html, text }: Pick<RenderedEmail, 'html' | 'text'>): boolean {
  return (html ?? '').trim() === '' && (text ?? '').trim() === ''
}

export const renderedEmpty = 'The email is empty for this contact: it has neither HTML nor text.'

/** The values that make a message unique. */
export interface MimeIdentity {
  /** With angle brackets. */
  messageId: string
  date: Date
  /** A boundary that the parts do not hold: it has `=_`, which quoted-printable never has. */
  boundary: string
}

/** Headers that Mailyard writes or reads itself; an email's own of the same name are left out. */
const ownHeaders = new Set([
  'from',
  'to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  transportHeader,
])

/** Composes an email as MIME: text, HTML or both, in quoted-printable. nodemailer's composer takes 13 times as long. */
export function composeEmail(email: RenderedEmail, identity: MimeIdentity): Message {
  const { from, to } = email
  const head = headersOf(email, identity).map(([name, value]) => `${name}: ${value}\r\n`)
  return {
    envelope: { from: from.address, to: [to.address] },
    raw: Buffer.from(`${head.join('')}${bodyOf(email, identity.boundary)}`),
  }
}

function headersOf(email: RenderedEmail, { messageId, date }: MimeIdentity): [string, string][] {
  const { from, to, replyTo, subject, headers } = email
  const more = Object.entries(headers)
    .filter(([name, value]) => !ownHeaders.has(name.toLowerCase()) && value !== '')
    .map(([name, value]): [string, string] => [name, encodeHeaderText(value)])
  const hasReplyTo = more.some(([name]) => name.toLowerCase() === 'reply-to')
  return [
    ['From', formatMailbox(from)],
    ['To', formatMailbox(to)],
    ...(replyTo === null || hasReplyTo ? [] : [['Reply-To', replyTo] as [string, string]]),
    ['Subject', encodeHeaderText(subject)],
    ['Date', date.toUTCString().replace('GMT', '+0000')],
    ['Message-ID', messageId],
    ...more,
    ['MIME-Version', '1.0'],
  ]
}

function bodyOf({ html, text }: RenderedEmail, boundary: string): string {
  if (html === null) return part('plain', text ?? '')
  if (text === null) return part('html', html)
  return `Content-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n--${boundary}\r\n${part('plain', text)}\r\n--${boundary}\r\n${part('html', html)}\r\n--${boundary}--\r\n`
}

function part(subtype: 'plain' | 'html', text: string): string {
  const body = encodeQuotedPrintable(text).toString('latin1')
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${body}`
}

function formatMailbox({ address, name }: Mailbox): string {
  return name === '' ? address : `${encodeDisplayName(name)} <${address}>`
}

/** Creates the identity of a new message, with a Message-ID in the sender's domain. */
export function createIdentity(senderAddress: string, clock: Clock): MimeIdentity {
  const domain = senderAddress.slice(senderAddress.lastIndexOf('@') + 1) || 'localhost'
  const id = randomUUID()
  return { messageId: `<${id}@${domain}>`, date: new Date(clock.now()), boundary: `=_${id}` }
}

const unsubscribeHeader = 'List-Unsubscribe'

/** Adds `List-Unsubscribe` (RFC 2369, section 3.2), unless the email has one of its own. */
export function addUnsubscribeHeader(
  email: RenderedEmail,
  links: MessageLinks | undefined,
): RenderedEmail {
  const hasOwn = Object.entries(email.headers).some(
    ([name, value]) =>
      name.toLowerCase() === unsubscribeHeader.toLowerCase() && value.trim() !== '',
  )
  if (links === undefined || hasOwn) return email
  return { ...email, headers: { ...email.headers, [unsubscribeHeader]: `<${links.unsubscribe}>` } }
}
