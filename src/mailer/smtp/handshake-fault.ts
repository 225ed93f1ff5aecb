import { FaultError } from '../delivery/fault-error.ts'
import { isTransient, quoteReply, type SmtpReply, shownReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

/** Creates the fault of a greeting that refuses the connection. */
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

/** Creates the fault of a server that accepted neither EHLO nor HELO. */
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
 * Creates the fault of a server that refused EHLO and accepted HELO, when the DSN needs a log-in or STARTTLS.
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
      ? 'Use another port (587 or 465). A server without EHLO supports neither a log-in nor require_tls.'
      : 'Set local_domain to the name of this machine, or have its address allowed at the server.',
  })
}

/** Creates the fault of a server that does not offer the required STARTTLS. */
export function startTlsMissing({ server }: SmtpSession, port: number): FaultError {
  return new FaultError({
    code: 'starttls_missing',
    stage: 'tls',
    message: `${server} does not offer encryption (STARTTLS) on port ${port}, but it is required.`,
    hint: 'Use smtps:// with port 465, or another port. If the server normally offers it, the connection is being intercepted.',
  })
}

/** Creates the fault of a server that offered STARTTLS and then refused it. */
export function startTlsFault({ server, redact }: SmtpSession, raw: SmtpReply): FaultError {
  const reply = shownReply(raw, redact)
  return new FaultError({
    code: 'starttls_refused',
    stage: 'tls',
    reply,
    message: `${server} could not start TLS: ${quoteReply(reply)}`,
    hint: 'Try again later, or use smtps:// with port 465.',
  })
}

/** Creates the fault of a refused log-in, temporary or permanent. */
export function loginFault({ server, redact }: SmtpSession, raw: SmtpReply): FaultError {
  const reply = shownReply(raw, redact)
  if (isTransient(raw))
    return new FaultError({
      code: raw.code === 421 ? 'server_busy' : 'login_unavailable',
      stage: 'auth',
      reply,
      message: `${server} cannot check log-ins at the moment: ${quoteReply(reply)}`,
      hint: 'Try again later.',
    })
  if (raw.code === 538 || raw.code === 530 || /encrypt|starttls/i.test(reply.text))
    return new FaultError({
      code: 'tls_required',
      stage: 'auth',
      reply,
      message: `${server} requires TLS before the log-in: ${quoteReply(reply)}`,
      hint: 'Use smtps:// or port 587.',
    })
  return new FaultError({
    code: 'login_refused',
    stage: 'auth',
    reply,
    message: `The user name or the password was not accepted: ${quoteReply(reply)}`,
    hint: 'Check both; in a DSN, characters such as @ : / + are written percent-encoded.',
  })
}

/** Creates the fault of a refused log-in to a mailbox with an access token, temporary or permanent. */
export function tokenFault(session: SmtpSession, raw: SmtpReply, mailbox: string): FaultError {
  const error = loginFault(session, raw)
  if (error.fault.code !== 'login_refused') return error
  const { reply } = error.fault
  return new FaultError({
    code: 'token_refused',
    stage: 'auth',
    reply,
    message: `The log-in to the mailbox ${mailbox} was refused: ${reply === null ? '' : quoteReply(reply)}`,
  })
}

/** Creates the fault of a server that offers no usable log-in mechanism. */
export function loginNotOffered(
  { server, extensions }: SmtpSession,
  { isEncrypted, hasToken }: { isEncrypted: boolean; hasToken: boolean },
): FaultError {
  const offered = [...extensions.mechanisms].join(', ')
  return new FaultError({
    code: 'login_not_offered',
    stage: 'auth',
    message:
      offered === ''
        ? `${server} offers no log-in here, but the DSN has a user.`
        : `${server} offers no log-in that can be used here (only ${offered}).`,
    hint: hasToken
      ? 'The server has no OAuth (XOAUTH2, OAUTHBEARER) here. Check host and port, or log in with a password.'
      : isEncrypted
        ? 'Use another port (587 or 465), or remove user and password.'
        : 'Use TLS (port 587 or 465), or remove user and password.',
  })
}

/** Creates the fault of a DSN with a user but without a password. */
export function passwordMissing(): FaultError {
  return new FaultError({
    code: 'password_missing',
    stage: 'auth',
    message: 'The DSN has a user name but no password.',
    hint: 'Enter a password, or remove the user name.',
  })
}
