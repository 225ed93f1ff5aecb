import { FaultError } from '../../delivery/fault-error.ts'
import { isTransient, quoteReply, type SmtpReply, shownReply } from '../smtp-reply.ts'
import type { SmtpSession } from '../smtp-session.ts'

/** The server refused the log-in, for now or not. */
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
      message: `${server} wants TLS before a log-in: ${quoteReply(reply)}`,
      hint: 'Use smtps:// or port 587.',
    })
  return new FaultError({
    code: 'login_refused',
    stage: 'auth',
    reply,
    message: `User name or password not accepted: ${quoteReply(reply)}`,
    hint: 'Check both; in a DSN, characters such as @ : / + are written percent-encoded.',
  })
}

/** There are credentials, and no way to use them. */
export function loginNotOffered(
  { server, extensions }: SmtpSession,
  isEncrypted: boolean,
): FaultError {
  const offered = [...extensions.mechanisms].join(', ')
  return new FaultError({
    code: 'login_not_offered',
    stage: 'auth',
    message:
      offered === ''
        ? `${server} offers no log-in here, but the DSN has a user.`
        : `${server} offers no log-in that can be used here (only ${offered}).`,
    hint: isEncrypted
      ? 'Use another port (587 or 465), or remove user and password.'
      : 'Use TLS (port 587 or 465), or remove user and password.',
  })
}

/** The DSN has a user only. */
export function passwordMissing(): FaultError {
  return new FaultError({
    code: 'password_missing',
    stage: 'auth',
    message: 'The DSN has a user name but no password.',
    hint: 'Enter a password, or remove the user name.',
  })
}
