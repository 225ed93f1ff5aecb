import { type FaultCode, quoteReply } from '../delivery/fault.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { generalHints } from '../delivery/general-hints.ts'
import type { Stage } from '../delivery/stage.ts'
import { isTransient, type SmtpReply, shownReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

/** What a reply means: the fault code, a sentence about the server, and a hint. Default: that of the code. */
type Explanation = readonly [code: FaultCode, sentence: string, hint?: string]

function replyFault(
  { server, redact }: SmtpSession,
  raw: SmtpReply,
  [stage, [code, sentence, hint = generalHints[code]]]: [Stage, Explanation],
): FaultError {
  const reply = shownReply(raw, redact)
  const message = `${server} ${sentence}: ${quoteReply(reply)}`
  return new FaultError({ code, stage, reply, message, hint })
}

/** Creates the fault of a greeting that refuses the connection. */
export function greetingFault(session: SmtpSession, raw: SmtpReply): FaultError {
  const refused = ['greeting_refused', 'refuses connections from our address'] as const
  const busy = ['greeting_busy', 'is busy'] as const
  return replyFault(session, raw, ['greeting', isTransient(raw) ? busy : refused])
}

/** Creates the fault of a server that accepted neither EHLO nor HELO. */
export function nameFault(session: SmtpSession, raw: SmtpReply): FaultError {
  const refused = ['name_refused', 'rejected our name in EHLO'] as const
  const busy = ['server_busy', 'is busy'] as const
  return replyFault(session, raw, ['ehlo', isTransient(raw) ? busy : refused])
}

/**
 * Creates the fault of a server that refused EHLO and accepted HELO, when the DSN needs a log-in or STARTTLS.
 */
export function extensionsRefused(session: SmtpSession, raw: SmtpReply): FaultError {
  const hint =
    raw.code === 500 || raw.code === 502
      ? 'Use another port (587 or 465). A server without EHLO supports neither a log-in nor require_tls.'
      : 'Set local_domain to the name of this machine, or have its address allowed at the server.'
  const sentence = 'refused EHLO, without which there is no log-in and no STARTTLS'
  return replyFault(session, raw, ['ehlo', ['name_refused', sentence, hint]])
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
export function startTlsFault(session: SmtpSession, raw: SmtpReply): FaultError {
  return replyFault(session, raw, ['tls', ['starttls_refused', 'could not start TLS']])
}

/** Creates the fault of a refused log-in, temporary or permanent. */
export function loginFault(session: SmtpSession, raw: SmtpReply): FaultError {
  const code = raw.code === 421 ? 'server_busy' : 'login_unavailable'
  const busy = [code, 'cannot check log-ins at the moment'] as const
  if (isTransient(raw)) return replyFault(session, raw, ['auth', busy])
  const reply = shownReply(raw, session.redact)
  const needsTls = raw.code === 538 || raw.code === 530 || /encrypt|starttls/i.test(reply.text)
  const open = ['tls_required', 'requires TLS before the log-in'] as const
  if (needsTls) return replyFault(session, raw, ['auth', open])
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
        ? generalHints.login_not_offered
        : 'Use TLS (port 587 or 465), or remove user and password.',
  })
}

/** Creates the fault of a DSN with a user but without a password. */
export function passwordMissing(): FaultError {
  return new FaultError({
    code: 'password_missing',
    stage: 'auth',
    message: 'The DSN has a user name but no password.',
  })
}
