import { isAscii } from 'node:buffer'
import { domainToASCII } from 'node:url'
import { FaultError } from '../delivery/fault-error.ts'
import type { Message, NotificationRequest } from '../message/message.ts'
import type { Extensions } from './extensions.ts'

/** MAIL FROM of a message with what the server takes. Throws FaultError where it cannot take the message. */
export function mailCommand(message: Message, server: string, extensions: Extensions): string {
  const { envelope, raw } = message
  const { sizeBytesMax, hasSize, has8BitMime, hasSmtpUtf8 } = extensions
  if (raw.length > sizeBytesMax)
    throw new FaultError({
      code: 'too_large',
      scope: 'message',
      stage: 'sender',
      message: `${server} takes messages of at most ${sizeBytesMax} bytes; this one has ${raw.length}.`,
      hint: 'Send smaller attachments, or link to them.',
      isPermanent: true,
    })
  const from = asciiDomain(envelope.from)
  const has8Bit = !isAscii(raw)
  const isUtf8 = needsUtf8(from) || envelope.to.some(needsUtf8) || (has8Bit && hasUtf8Head(raw))
  if (needsUtf8(from) && !hasSmtpUtf8) throw utf8Unsupported('sender', from, server)
  return [
    `MAIL FROM:<${from}>`,
    hasSize ? ` SIZE=${raw.length}` : '',
    has8BitMime && has8Bit ? ' BODY=8BITMIME' : '',
    hasSmtpUtf8 && isUtf8 ? ' SMTPUTF8' : '',
    extensions.hasNotifications ? returnParameters(envelope.notification) : '',
  ].join('')
}

/** RCPT TO of one recipient. Throws FaultError where the server cannot take the address. */
export function recipientCommand(
  address: string,
  { envelope }: Message,
  { server, extensions }: { server: string; extensions: Extensions },
): string {
  const to = asciiDomain(address)
  if (needsUtf8(to) && !extensions.hasSmtpUtf8) throw utf8Unsupported('recipient', to, server)
  const { notification } = envelope
  if (notification === undefined || !extensions.hasNotifications) return `RCPT TO:<${to}>`
  const own = notification.recipients?.[address]
  return `RCPT TO:<${to}>${parameter('NOTIFY', own?.notify)}${parameter('ORCPT', own?.originalRecipient)}`
}

/** A domain has an ASCII form that every server takes; a local part has none. */
function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  // An ASCII one stays as it was written: 127.1 would become 127.0.0.1.
  const encoded = isPlain(domain) ? '' : domainToASCII(domain)
  return encoded === '' ? address : `${address.slice(0, at)}@${encoded}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is what it looks for
const ascii = /^[\u0000-\u007f]*$/

function isPlain(address: string): boolean {
  return ascii.test(address)
}

function needsUtf8(address: string): boolean {
  return !isPlain(asciiDomain(address))
}

/** Headers with letters beyond ASCII need SMTPUTF8 as well (RFC 6531, section 3.1). */
function hasUtf8Head(raw: Uint8Array): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const end = bytes.indexOf('\r\n\r\n')
  return !isAscii(end === -1 ? bytes : bytes.subarray(0, end))
}

function returnParameters(notification: NotificationRequest | undefined): string {
  if (notification === undefined) return ''
  return parameter('RET', notification.return) + parameter('ENVID', notification.envelopeId)
}

/** Anything but printable characters would end the command. */
function parameter(name: string, value: string | undefined): string {
  return value !== undefined && /^[\x21-\x7e]{1,500}$/.test(value) ? ` ${name}=${value}` : ''
}

function utf8Unsupported(
  stage: 'sender' | 'recipient',
  address: string,
  server: string,
): FaultError {
  return new FaultError({
    code: 'utf8_unsupported',
    scope: stage === 'sender' ? 'message' : 'recipient',
    stage,
    message: `${server} takes no addresses with letters such as those in ${address} (it lacks SMTPUTF8).`,
    hint: 'Use an address in plain ASCII, or a server that has SMTPUTF8.',
    isPermanent: true,
  })
}
