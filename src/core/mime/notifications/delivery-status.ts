import { domainToASCII } from 'node:url'
import { oneLine } from '../../../kit/one-line.ts'
import { quoteReply, type ServerReply } from '../../../libraries/mailer/index.ts'
import { type FailedRecipient, formatDate, type NotifiedMessage } from './notification.ts'

/** A line has at most 998 characters, with the name of its field (RFC 5322, section 2.1.1). */
const valueLengthMax = 900

/**
 * Writes the fields of `message/delivery-status`, in 7-bit: one block for the message, and one for each recipient.
 * Mautic reads them by patterns that need exactly this white space, and words on one line: no field is folded.
 * @see RFC 3464, section 2
 */
export function formatDeliveryStatus(
  { receivedAt }: NotifiedMessage,
  recipients: readonly FailedRecipient[],
  reportingMta: string,
): string {
  const ofMessage = formatFields([
    ['Reporting-MTA', `dns; ${reportingMta}`],
    ['Arrival-Date', formatDate(receivedAt)],
  ])
  const ofRecipients = recipients.map((recipient) => formatFields(recipientFields(recipient)))
  return [ofMessage, ...ofRecipients].join('\r\n')
}

type Fields = readonly (readonly [name: string, value: string | undefined])[]

function recipientFields(recipient: FailedRecipient): Fields {
  const { address, reply, remoteMta, lastAttemptAt } = recipient
  const isHost = /^[\w.:[\]-]{1,255}$/.test(remoteMta ?? '')
  return [
    ['Final-Recipient', formatAddress(address)],
    ['Action', 'failed'],
    ['Status', statusOf(recipient)],
    ['Remote-MTA', isHost ? `dns; ${remoteMta}` : undefined],
    ['Diagnostic-Code', reply === null ? undefined : formatDiagnostic(reply)],
    ['Last-Attempt-Date', lastAttemptAt === undefined ? undefined : formatDate(lastAttemptAt)],
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
  return /^[ -~]+$/.test(converted) ? `rfc822; ${converted}` : `utf-8; ${escapeUnicode(converted)}`
}

/** Writes the characters of an address that are not printable ASCII as `\x{F6}` (RFC 6533, section 3). */
function escapeUnicode(address: string): string {
  return address.replace(
    /[^!-~]/gu,
    (character) => `\\x{${character.codePointAt(0)?.toString(16).toUpperCase()}}`,
  )
}

const diagnosticTypes = {
  smtp: 'smtp',
  http: 'x-http',
  command: 'x-unix',
  inbox: 'x-mailyard',
} as const satisfies Record<ServerReply['protocol'], string>

function formatDiagnostic(reply: ServerReply): string {
  return `${diagnosticTypes[reply.protocol]}; ${quoteReply(reply)}`
}

/**
 * Returns the status code of a recipient: the server's if it is that of a failure. A message that expired has the code of its
 * last temporary refusal, else 4.4.7.
 * @see RFC 3463, section 3.5
 */
export function statusOf({ reply, status, hasExpired }: FailedRecipient): string {
  const ofServer = reply?.protocol === 'smtp' ? reply.enhancedCode : null
  const code = ofServer ?? (reply === null ? status : undefined) ?? ''
  const isFitting = (hasExpired ? /^4(\.\d{1,3}){2}$/ : /^[45](\.\d{1,3}){2}$/).test(code)
  if (isFitting) return code
  return hasExpired ? '4.4.7' : '5.0.0'
}
