import type { FaultScope, Reply } from '../delivery/fault.ts'
import { FaultError, type FaultFields } from '../delivery/fault-error.ts'
import { fromRefusalHint, refusesFromDomain } from '../delivery/from-refusal.ts'
import type { Stage } from '../delivery/stage.ts'
import { quoteReply, type SmtpReply, shownReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

// cspell:ignore authenticat
const throttlePattern =
  /throttl|slow down|too many (messages|mails|emails|connections|requests)|(rate|sending|hourly|daily|message|submission) ?(rate|limit|quota)s?\b|limit (reached|exceeded)|quota exceeded/i
const relayPattern = /relay|not permitted|authenticat|not local|we do not (accept|handle)/i
const unknownPattern =
  /unknown|no such|does not exist|not exist|not found|invalid (recipient|mailbox)/i
const spamPattern = /spam|virus|malware|content|phish|\burls?\b/i
const blockPattern = /block|black ?list|listed|reputation|spamhaus|barracuda|\brbl\b|dnsbl/i
const sizePattern = /size|too (big|large|long)|exceed/i

interface Refusal {
  readonly server: string
  readonly reply: Reply
}

/** Creates the fault of a refused MAIL FROM. */
export function senderFault(session: SmtpSession, raw: SmtpReply, from: string): FaultError {
  const refusal = read(session, raw)
  const { reply, server } = refusal
  const quote = quoteReply(reply)
  if (raw.code === 530) return wantsLogin(refusal)
  if (raw.code < 500) return temporaryFault('sender', refusal)
  if (isTooLarge(reply)) return tooLarge('sender', refusal)
  return messageFault('sender', refusal, {
    code: 'sender_refused',
    message: `${server} does not let this account send as ${from === '' ? 'the null sender' : from}: ${quote}`,
    ...policyHint(reply),
  })
}

/** Creates the fault of a refused RCPT TO. It is a fault of the member only when the server is closing. */
export function recipientFault(session: SmtpSession, raw: SmtpReply, to: string): FaultError {
  const refusal = read(session, raw)
  const { reply, server } = refusal
  const quote = quoteReply(reply)
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
  const isUnknown = reply.enhancedCode === '5.1.1' || unknownPattern.test(reply.text)
  if (!isUnknown && (reply.enhancedCode === '5.7.1' || relayPattern.test(reply.text)))
    return messageFault('recipient', refusal, {
      ...fields,
      code: 'relay_denied',
      message: `${server} does not relay messages to ${to} for us: ${quote}`,
      hint: 'Log in (user and password in the DSN), or have our address allowed there.',
      ...policyHint(reply),
    })
  return messageFault('recipient', refusal, {
    ...fields,
    code: isUnknown ? 'recipient_unknown' : 'recipient_refused',
    // 503 "Bad sequence of commands" is about the session, not about the recipient.
    isPermanent: raw.code !== 503,
    message: isUnknown
      ? `The recipient ${to} does not exist at ${server} (the connection itself works): ${quote}`
      : `${server} refused the recipient ${to}: ${quote}`,
    ...(isUnknown ? {} : recipientHint(reply)),
  })
}

/** Creates the fault of a refused DATA, or of a refused message after it. */
export function dataFault(session: SmtpSession, raw: SmtpReply): FaultError {
  const refusal = read(session, raw)
  if (raw.code === 530) return wantsLogin(refusal, 'data')
  if (raw.code < 500) return temporaryFault('data', refusal)
  if (isTooLarge(refusal.reply)) return tooLarge('data', refusal)
  return messageFault('data', refusal, {
    code: 'message_refused',
    isPermanent: raw.code !== 503,
    message: `${refusal.server} rejected the message: ${quoteReply(refusal.reply)}`,
    ...dataHint(refusal.reply),
  })
}

/** Returns the hint for a refusal by policy; nothing when the general hint fits better. */
function policyHint(reply: Reply): Pick<FaultFields, 'hint'> {
  if (refusesFromDomain(quoteReply(reply))) return { hint: fromRefusalHint }
  if (blockPattern.test(reply.text))
    return {
      hint: 'The address of this machine or the domain of the sender seems to be on a block list. Have it removed there, or use another server.',
    }
  return {}
}

function recipientHint(reply: Reply): Pick<FaultFields, 'hint'> {
  if (reply.enhancedCode?.startsWith('5.2.') === true)
    return { hint: 'The mailbox is full or closed. Ask the recipient, or use another address.' }
  return policyHint(reply)
}

function dataHint(reply: Reply): Pick<FaultFields, 'hint'> {
  const { code, enhancedCode, text } = reply
  if (code === 503)
    return { hint: 'Try again; if it happens every time, the reason is in the log of the server.' }
  if (enhancedCode?.startsWith('5.6.') === true)
    return {
      hint: 'The server does not accept this kind of message. Send it with plain text parts and short lines.',
    }
  const { hint } = policyHint(reply)
  if (hint !== undefined) return { hint }
  if (!spamPattern.test(text)) return {}
  return {
    hint: 'The filter of the server objects to the content. Change text, links and attachments, or ask its operator.',
  }
}

function read({ server, redact }: SmtpSession, raw: SmtpReply): Refusal {
  return { server, reply: shownReply(raw, redact) }
}

type MessageFaultFields = Pick<FaultFields, 'code' | 'message'> &
  Partial<Pick<FaultFields, 'scope' | 'isPermanent' | 'hint'>>

function messageFault(stage: Stage, { reply }: Refusal, fields: MessageFaultFields): FaultError {
  return new FaultError({ stage, reply, scope: 'message', isPermanent: true, ...fields })
}

/**
 * Creates the fault of a 4yz reply: of the member when the server closes, throttles or has an error, otherwise of the
 * message.
 */
function temporaryFault(stage: Stage, { server, reply }: Refusal): FaultError {
  const quote = quoteReply(reply)
  const { code, enhancedCode, text } = reply
  // x.1.z and x.2.z are about addresses and mailboxes, even if the text mentions a quota.
  const isOfMailbox = enhancedCode !== null && /^4\.[12]\./.test(enhancedCode)
  if (!isOfMailbox && throttlePattern.test(text))
    return temporary(stage, 'member', {
      code: 'throttled',
      reply,
      message: `${server} accepts no more messages at the moment: ${quote}`,
      hint: temporaryHint(reply, 'Sending limit reached; slow down with max_per_second.'),
    })
  if (code === 421)
    return temporary(stage, 'member', {
      code: 'server_busy',
      reply,
      message: `${server} is closing the connection: ${quote}`,
      hint: temporaryHint(reply, 'Try again later.'),
    })
  // RFC 3463: x.3.z is about the mail system, but x.3.4 about the size of the message.
  const isOfSystem = enhancedCode?.startsWith('4.3.') === true && enhancedCode !== '4.3.4'
  return temporary(stage, isOfSystem ? 'member' : 'message', {
    code: isOfSystem ? 'server_fault' : 'deferred',
    reply,
    message: `${server} asks to try again later: ${quote}`,
    hint: temporaryHint(reply, 'This is temporary; try again later.'),
  })
}

/** Gmail defers and throttles messages, too, whose From domain it does not accept. */
function temporaryHint(reply: Reply, hint: string): string {
  return refusesFromDomain(quoteReply(reply)) ? fromRefusalHint : hint
}

function temporary(
  stage: Stage,
  scope: FaultScope,
  fields: Omit<FaultFields, 'stage' | 'scope'>,
): FaultError {
  return new FaultError({ stage, scope, ...fields })
}

function wantsLogin({ server, reply }: Refusal, stage: Stage = 'sender'): FaultError {
  const isTls = /starttls|tls|encrypt/i.test(reply.text)
  return new FaultError({
    code: isTls ? 'tls_required' : 'login_required',
    stage,
    reply,
    message: isTls
      ? `${server} requires TLS: ${quoteReply(reply)}`
      : `${server} requires a user name and password: ${quoteReply(reply)}`,
    hint: isTls ? 'Use smtps:// or port 587.' : 'Add them to the DSN.',
  })
}

function isTooLarge({ code, enhancedCode, text }: Reply): boolean {
  if (enhancedCode === '5.3.4') return true
  return code === 552 && !/^5\.[127]\./.test(enhancedCode ?? '') && sizePattern.test(text)
}

function tooLarge(stage: Stage, refusal: Refusal): FaultError {
  return messageFault(stage, refusal, {
    code: 'too_large',
    message: `The message is larger than ${refusal.server} allows: ${quoteReply(refusal.reply)}`,
    hint: 'Send smaller attachments, or link to them.',
  })
}
