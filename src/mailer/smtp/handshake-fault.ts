import { FaultError } from '../delivery/fault-error.ts'
import { isTransient, quoteReply, type SmtpReply, shownReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

/** The server greets with a refusal. */
export function greetingFault({ server, redact }: SmtpSession, raw: SmtpReply): FaultError {
  const reply = shownReply(raw, redact)
  if (isTransient(raw))
    return new FaultError({
      code: 'greeting_busy',
      stage: 'greeting',
      reply,
      message: `${server} is busy: ${quoteReply(reply)}`,
      hint: 'Try again later.',
    })
  return new FaultError({
    code: 'greeting_refused',
    stage: 'greeting',
    reply,
    message: `${server} refuses connections from our address: ${quoteReply(reply)}`,
    hint: 'The address of this machine may be on a block list, or must be allowed at the server.',
  })
}

/** Neither EHLO nor HELO was accepted. */
export function nameFault({ server, redact }: SmtpSession, raw: SmtpReply): FaultError {
  const reply = shownReply(raw, redact)
  if (isTransient(raw))
    return new FaultError({
      code: 'server_busy',
      stage: 'ehlo',
      reply,
      message: `${server} is busy: ${quoteReply(reply)}`,
      hint: 'Try again later.',
    })
  return new FaultError({
    code: 'name_refused',
    stage: 'ehlo',
    reply,
    message: `${server} rejected our name in EHLO: ${quoteReply(reply)}`,
    hint: 'Set local_domain to the name of this machine.',
  })
}

/**
 * EHLO was refused and HELO accepted, where the DSN needs what only EHLO offers: a log-in, or STARTTLS.
 */
export function extensionsRefused({ server, redact }: SmtpSession, raw: SmtpReply): FaultError {
  const reply = shownReply(raw, redact)
  const isUnknown = raw.code === 500 || raw.code === 502
  return new FaultError({
    code: 'name_refused',
    stage: 'ehlo',
    reply,
    message: `${server} refused EHLO, without which there is no log-in and no STARTTLS: ${quoteReply(reply)}`,
    hint: isUnknown
      ? 'Use another port (587 or 465). A server that knows no EHLO takes neither a user nor require_tls.'
      : 'Set local_domain to the name of this machine, or have its address allowed at the server.',
  })
}

/** TLS is required and not to be had. */
export function startTlsMissing({ server }: SmtpSession, port: number): FaultError {
  return new FaultError({
    code: 'starttls_missing',
    stage: 'tls',
    message: `${server} does not offer encryption (STARTTLS) on port ${port}, but it is required.`,
    hint: 'Use smtps:// with port 465, or another port. If the server normally offers it, somebody in between takes it away.',
  })
}

/** TLS was offered and then refused. */
export function startTlsFault({ server, redact }: SmtpSession, raw: SmtpReply): FaultError {
  const reply = shownReply(raw, redact)
  return new FaultError({
    code: 'starttls_refused',
    stage: 'tls',
    reply,
    message: `${server} could not start TLS just now: ${quoteReply(reply)}`,
    hint: 'Try again later, or use smtps:// with port 465.',
  })
}
