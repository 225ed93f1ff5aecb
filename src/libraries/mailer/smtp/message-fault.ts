import { type FaultCode, quoteReply, type ServerReply } from '../delivery/fault.ts'
import { FaultError, type FaultFields } from '../delivery/fault-error.ts'
import { generalHints } from '../delivery/general-hints.ts'
import { classOfReply, type ReplyClass } from '../delivery/reply-class.ts'
import type { Stage } from '../delivery/stage.ts'
import { type SmtpReply, shownReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

interface SmtpRefusal {
  readonly server: string
  readonly reply: ServerReply
  readonly quote: string
  readonly about: ReplyClass
}

const fromHint =
  'The server does not accept the From domain: set up SPF, DKIM and DMARC for it. Its page in Mailyard (Senders) shows what was found, and the records to publish.'

const hints: Partial<Record<ReplyClass, string>> = {
  authentication: fromHint,
  reputation:
    'The address of this machine or the domain of the sender seems to be on a block list. Have it removed there, or use another server.',
  mailbox: 'The mailbox is full or closed. Ask the recipient, or use another address.',
  content:
    'The filter of the server objects to the content. Change text, links and attachments, or ask its operator.',
}

/** Creates the fault of a refused MAIL FROM. */
export function senderFault(session: SmtpSession, raw: SmtpReply, from: string): FaultError {
  const refusal = read(session, raw)
  const { server, quote } = refusal
  if (raw.code === 530) return wantsLogin(refusal)
  if (raw.code < 500) return temporaryFault('sender', refusal)
  if (isTooLarge(refusal)) return tooLarge('sender', refusal)
  return messageFault('sender', refusal, {
    code: 'sender_refused',
    message: `${server} does not let this account send as ${from === '' ? 'the null sender' : from}: ${quote}`,
    ...hintFor(refusal),
  })
}

/** Creates the fault of a refused RCPT TO. It is a fault of the member only when the server is closing. */
export function recipientFault(session: SmtpSession, raw: SmtpReply, to: string): FaultError {
  const refusal = read(session, raw)
  const { server, quote, about } = refusal
  if (raw.code === 421) return temporaryFault('recipient', refusal)
  if (raw.code === 530) return wantsLogin(refusal, 'recipient')
  const fields = { scope: 'recipient' as const }
  if (raw.code < 500)
    return messageFault('recipient', refusal, {
      ...fields,
      code: 'recipient_deferred',
      isPermanent: false,
      message: `${server} asks to try ${to} again later: ${quote}`,
      hint: 'This is usual for a first message (greylisting). The settings are probably correct.',
    })
  if (about === 'relay')
    return messageFault('recipient', refusal, {
      ...fields,
      code: 'relay_denied',
      message: `${server} does not relay messages to ${to} for us: ${quote}`,
    })
  const isUnknown = about === 'address'
  return messageFault('recipient', refusal, {
    ...fields,
    code: isUnknown ? 'recipient_unknown' : 'recipient_refused',
    // 503 "Bad sequence of commands" is about the session, not about the recipient.
    isPermanent: raw.code !== 503,
    message: isUnknown
      ? `The recipient ${to} does not exist at ${server} (the connection itself works): ${quote}`
      : `${server} refused the recipient ${to}: ${quote}`,
    ...hintFor(refusal),
  })
}

/** Creates the fault of a refused DATA, or of a refused message after it. */
export function dataFault(session: SmtpSession, raw: SmtpReply): FaultError {
  const refusal = read(session, raw)
  if (raw.code === 530) return wantsLogin(refusal, 'data')
  if (raw.code < 500) return temporaryFault('data', refusal)
  if (isTooLarge(refusal)) return tooLarge('data', refusal)
  return messageFault('data', refusal, {
    code: 'message_refused',
    isPermanent: raw.code !== 503,
    message: `${refusal.server} rejected the message: ${refusal.quote}`,
    ...hintFor(refusal),
  })
}

/** Returns the hint for a refusal; nothing when the general hint fits better. */
function hintFor({ reply, about }: SmtpRefusal): Pick<FaultFields, 'hint'> {
  if (reply.code === 503)
    return { hint: 'Try again; if it happens every time, the reason is in the log of the server.' }
  if (reply.enhancedCode?.startsWith('5.6.') === true)
    return {
      hint: 'The server does not accept this kind of message. Send it with plain text parts and short lines.',
    }
  const hint = hints[about]
  return hint === undefined ? {} : { hint }
}

function read({ server, redact }: SmtpSession, raw: SmtpReply): SmtpRefusal {
  const reply = shownReply(raw, redact)
  const quote = quoteReply(reply)
  return { server, reply, quote, about: classOfReply(quote) }
}

type MessageFaultFields = Pick<FaultFields, 'code' | 'message'> &
  Partial<Pick<FaultFields, 'scope' | 'isPermanent' | 'hint'>>

function messageFault(
  stage: Stage,
  { reply }: SmtpRefusal,
  fields: MessageFaultFields,
): FaultError {
  return new FaultError({ stage, reply, scope: 'message', isPermanent: true, ...fields })
}

/**
 * Creates the fault of a 4yz reply: of the member when the server closes, throttles or has an error, otherwise of the
 * message.
 */
function temporaryFault(stage: Stage, { server, reply, quote, about }: SmtpRefusal): FaultError {
  const enhancedCode = reply.enhancedCode ?? ''
  // x.1.z and x.2.z are about addresses and mailboxes, even if the text mentions a rate; too many recipients are of this message.
  const isOfMessage = /^4\.[12]\./.test(enhancedCode) || /too many recipients\W*$/i.test(reply.text)
  const isThrottled = about === 'rate' && !isOfMessage
  // RFC 3463: x.3.z is about the mail system, but x.3.4 about the size of the message.
  const isOfSystem = enhancedCode.startsWith('4.3.') && enhancedCode !== '4.3.4'
  const isBusy = reply.code === 421
  const [code, sentence, hint]: readonly [FaultCode, string, string?] = isThrottled
    ? throttled
    : isBusy
      ? closing
      : [isOfSystem ? 'server_fault' : 'deferred', ...later]
  return new FaultError({
    stage,
    scope: isThrottled || isBusy || isOfSystem ? 'member' : 'message',
    code,
    reply,
    message: `${server} ${sentence}: ${quote}`,
    // Gmail defers messages, too, whose From domain it does not accept.
    hint: about === 'authentication' ? fromHint : (hint ?? generalHints[code]),
  })
}

const throttled = ['throttled', 'accepts no more messages at the moment'] as const
const closing = ['server_busy', 'is closing the connection'] as const
const later = ['asks to try again later', 'This is temporary; try again later.'] as const

function wantsLogin({ server, reply, quote }: SmtpRefusal, stage: Stage = 'sender'): FaultError {
  const isTls = /starttls|tls|encrypt/i.test(reply.text)
  return new FaultError({
    code: isTls ? 'tls_required' : 'login_required',
    stage,
    reply,
    message: isTls
      ? `${server} requires TLS: ${quote}`
      : `${server} requires a user name and password: ${quote}`,
    hint: isTls ? 'Use smtps:// or port 587.' : 'Add them to the DSN.',
  })
}

function isTooLarge({ reply: { code, enhancedCode }, about }: SmtpRefusal): boolean {
  return about === 'size' && (code === 552 || enhancedCode === '5.3.4')
}

function tooLarge(stage: Stage, refusal: SmtpRefusal): FaultError {
  return messageFault(stage, refusal, {
    code: 'too_large',
    message: `The message is larger than ${refusal.server} allows: ${refusal.quote}`,
  })
}
