import { domainToASCII } from 'node:url'
import { oneLine } from '../../kit/one-line.ts'
import { decodeXtext, escapeUnicode } from '../../kit/xtext.ts'
import type { Reply } from '../../mailer/index.ts'
import { formatDate, type NotifiedMessage, type RecipientStatus } from './notification.ts'

/** A line has at most 998 characters, with the name of its field (RFC 5322, section 2.1.1). */
const valueLengthMax = 900

/**
 * Writes the fields of `message/delivery-status`, in 7-bit: one block for the message, and one for each recipient.
 * Mautic reads them by patterns that need exactly this white space, and words on one line: no field is folded.
 * @see RFC 3464, section 2
 */
export function formatDeliveryStatus(
  message: NotifiedMessage,
  recipients: readonly RecipientStatus[],
  reportingMta: string,
): string {
  const { envelopeId } = message.notification ?? {}
  const ofMessage = formatFields([
    ['Reporting-MTA', `dns; ${reportingMta}`],
    ['Original-Envelope-Id', envelopeId === undefined ? undefined : decodeXtext(envelopeId)],
    ['Arrival-Date', formatDate(message.receivedAt)],
  ])
  const ofRecipients = recipients.map((recipient) =>
    formatFields(recipientFields(recipient, message)),
  )
  return [ofMessage, ...ofRecipients].join('\r\n')
}

type Fields = readonly (readonly [name: string, value: string | undefined])[]

function recipientFields(recipient: RecipientStatus, { notification }: NotifiedMessage): Fields {
  const { address, action, reply, remoteMta, lastAttemptAt, willRetryUntil } = recipient
  const { originalRecipient } = notification?.recipients?.[address] ?? {}
  const isHost = /^[\w.:[\]-]{1,255}$/.test(remoteMta ?? '')
  const date = (time: number | undefined) => (time === undefined ? undefined : formatDate(time))
  return [
    ['Original-Recipient', formatOriginalRecipient(originalRecipient)],
    ['Final-Recipient', formatAddress(address)],
    ['Action', action],
    ['Status', statusOf(recipient)],
    ['Remote-MTA', isHost ? `dns; ${remoteMta}` : undefined],
    ['Diagnostic-Code', reply === null ? undefined : formatDiagnostic(reply)],
    ['Last-Attempt-Date', date(lastAttemptAt)],
    ['Will-Retry-Until', action === 'delayed' ? date(willRetryUntil) : undefined],
  ]
}

function formatFields(fields: Fields): string {
  const present = fields.filter(([, value]) => value !== undefined && value !== '')
  return present.map(([name, value = '']) => `${name}: ${toAscii(value)}\r\n`).join('')
}

/** Other characters would need `message/global-delivery-status`, which Mautic and other readers do not know. */
function toAscii(value: string): string {
  return oneLine(value, valueLengthMax).replace(/[^ -~]/gu, '?')
}

/** The type of an address that is not ASCII is `utf-8`, and its form 7-bit (RFC 6533, section 3). */
function formatAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  const asciiDomain = /^[!-~]*$/.test(domain) ? domain : domainToASCII(domain) || domain
  const converted = `${address.slice(0, at + 1)}${asciiDomain}`
  return /^[!-~]+$/.test(converted) ? `rfc822; ${converted}` : `utf-8; ${escapeUnicode(converted)}`
}

/** Decodes an ORCPT (RFC 3461, section 4.2). Returns undefined if there is none, or it is malformed. */
function formatOriginalRecipient(originalRecipient = ''): string | undefined {
  const [, type = '', encoded = ''] = /^([a-z\d-]+);(.+)$/i.exec(originalRecipient) ?? []
  const address = decodeXtext(encoded)
  return address === undefined ? undefined : `${type};${escapeUnicode(address)}`
}

const diagnosticTypes = {
  smtp: 'smtp',
  http: 'x-http',
  command: 'x-unix',
  inbox: 'x-mailyard',
} as const satisfies Record<Reply['protocol'], string>

function formatDiagnostic(reply: Reply): string {
  return `${diagnosticTypes[reply.protocol]}; ${quoteReply(reply)}`
}

/** Quotes a reply: `550 5.1.1 No such user`. */
export function quoteReply({ code, enhancedCode, text }: Reply): string {
  return [String(code), enhancedCode, text].filter(Boolean).join(' ')
}

const families = {
  failed: '45',
  delayed: '4',
  delivered: '2',
  relayed: '2',
  expanded: '2',
} as const
const defaults = {
  failed: '5.0.0',
  delayed: '4.0.0',
  delivered: '2.0.0',
  relayed: '2.0.0',
  expanded: '2.0.0',
} as const

/**
 * Returns the status code of a recipient: the server's if it fits the action. A message that expired has the code of its
 * last temporary refusal, else 4.4.7.
 * @see RFC 3463, section 3.5
 */
export function statusOf({ action, reply, status, hasExpired }: RecipientStatus): string {
  const ofServer = reply?.protocol === 'smtp' ? reply.enhancedCode : null
  const code = ofServer ?? (reply === null ? status : undefined) ?? ''
  const family = hasExpired ? '4' : families[action]
  const isFitting = new RegExp(String.raw`^[${family}]\.\d{1,3}\.\d{1,3}$`).test(code)
  if (isFitting) return code
  return hasExpired ? '4.4.7' : defaults[action]
}
