import type { Socket } from 'node:net'
import type { ConnectOptions } from '../connect/connector.ts'
import { type Endpoint, endpointName } from '../connect/endpoint.ts'
import { quoteReply } from '../delivery/fault.ts'
import { cancelledFault, FaultError } from '../delivery/fault-error.ts'
import { Secret } from '../secret.ts'
import { authenticate } from './authenticate.ts'
import {
  extensionsRefused,
  greetingFault,
  nameFault,
  startTlsFault,
  startTlsMissing,
} from './handshake-fault.ts'
import type { MailboxLogin, SessionContext } from './session-context.ts'
import { isPositive, noExtensions, readExtensions, shownReply } from './smtp-reply.ts'
import { SmtpSession } from './smtp-session.ts'

/**
 * Connects, starts TLS and logs in. Returns a session that is ready for a message. After a refused access token it tries
 * once more, with another token.
 * @throws {FaultError}
 */
export async function openSession(
  context: SessionContext,
  options: ConnectOptions,
): Promise<SmtpSession> {
  const { login } = context
  if (login === undefined) return openOnce(context, options, undefined)
  const first = new TokenUse(login)
  try {
    return await openOnce(context, options, first)
  } catch (error) {
    if (!isTokenRefused(error) || !first.forget()) throw error
    return openOnce(context, options, new TokenUse(login))
  }
}

/** One log-in to a mailbox with its access token. */
class TokenUse {
  readonly #login: MailboxLogin
  #token: Secret | undefined

  constructor(login: MailboxLogin) {
    this.#login = login
  }

  get mailbox(): string {
    return this.#login.mailbox
  }

  async get(signal: AbortSignal | undefined): Promise<Secret> {
    this.#token = await this.#login.token.get(signal)
    return this.#token
  }

  noteOpened(): void {
    if (this.#token !== undefined) this.#login.token.noteOpened(this.#token, this.mailbox)
  }

  /** Drops the token after its refusal. Returns whether another log-in makes sense. */
  forget(): boolean {
    return this.#token !== undefined && this.#login.token.forget(this.#token, this.mailbox)
  }
}

function isTokenRefused(error: unknown): boolean {
  return error instanceof FaultError && error.fault.code === 'token_refused'
}

async function openOnce(
  context: SessionContext,
  options: ConnectOptions,
  use: TokenUse | undefined,
): Promise<SmtpSession> {
  const { settings, redact } = context
  const endpoint: Endpoint = {
    ...settings,
    protocol: settings.tls === 'implicit' ? 'smtps' : 'smtp',
  }
  const socket = await openSocket(context, endpoint, options)
  const session = new SmtpSession(socket, {
    server: endpointName(endpoint),
    redact,
    observer: options.observer,
  })
  const cancel = () => session.destroy(({ stage }) => cancelledFault(stage))
  options.signal?.addEventListener('abort', cancel, { once: true })
  try {
    if (options.signal?.aborted) cancel()
    await greet(session, context)
    await hello(session, context)
    const isEncrypted =
      settings.tls === 'implicit' || (await startTls(session, context, { endpoint, options }))
    await logIn(session, context, { use, isEncrypted, signal: options.signal })
    return session
  } catch (error) {
    session.quit()
    throw error
  } finally {
    options.signal?.removeEventListener('abort', cancel)
  }
}

interface LogInOptions {
  /** Undefined for a log-in with the password of the settings, or none. */
  readonly use: TokenUse | undefined
  readonly isEncrypted: boolean
  readonly signal: AbortSignal | undefined
}

/** Logs in with the password of the settings, or with an access token. */
async function logIn(
  session: SmtpSession,
  { settings, timeouts }: SessionContext,
  { use, isEncrypted, signal }: LogInOptions,
): Promise<void> {
  const timeoutMs = timeouts.commandMs
  if (use === undefined) {
    const { credentials } = settings
    if (credentials !== null) await authenticate(session, { credentials, isEncrypted, timeoutMs })
    return
  }
  session.observer.enter('token')
  const accessToken = await use.get(signal)
  session.observer.found(`There is an access token for ${use.mailbox}.`)
  const credentials = { user: new Secret(use.mailbox), password: null, accessToken }
  await authenticate(session, { credentials, isEncrypted, timeoutMs })
  use.noteOpened()
}

async function openSocket(
  { settings, connector }: SessionContext,
  endpoint: Endpoint,
  options: ConnectOptions,
): Promise<Socket> {
  const socket = await connector.open(endpoint, options)
  return settings.tls === 'implicit' ? connector.secure(socket, endpoint, options) : socket
}

async function greet(session: SmtpSession, { timeouts }: SessionContext): Promise<void> {
  session.observer.enter('greeting')
  const greeting = await session.readReply({
    stage: 'greeting',
    trigger: 'the connection',
    timeoutMs: timeouts.greetingMs,
  })
  if (!isPositive(greeting)) throw greetingFault(session, greeting)
  session.observer.found(quoteReply(shownReply(greeting, session.redact)))
}

/** Sends EHLO, or HELO to a server without extensions. */
async function hello(session: SmtpSession, context: SessionContext): Promise<void> {
  const { localDomain, settings, timeouts } = context
  const awaited = { stage: 'ehlo', trigger: 'EHLO', timeoutMs: timeouts.commandMs } as const
  session.observer.enter('ehlo')
  session.sendLine(`EHLO ${localDomain}`)
  const reply = await session.readReply(awaited)
  if (isPositive(reply)) {
    session.extensions = readExtensions(reply)
    const offered = reply.lines.slice(1).filter((line) => line.trim() !== '')
    session.observer.found(`The server offers ${offered.join(', ') || 'no extensions'}.`)
    return
  }
  if (reply.code < 500) throw nameFault(session, reply)
  session.sendLine(`HELO ${localDomain}`)
  const plain = await session.readReply({ ...awaited, trigger: 'HELO' })
  if (!isPositive(plain)) throw nameFault(session, plain)
  const needsLogin = settings.credentials !== null || settings.oauth !== null
  const needsExtensions = needsLogin || settings.tls === 'starttls'
  if (needsExtensions) throw extensionsRefused(session, reply)
  session.extensions = noExtensions
  session.observer.found('The server knows HELO only and offers no extensions.')
}

/** Starts TLS when it is required or offered. Returns whether the session is encrypted. */
async function startTls(
  session: SmtpSession,
  context: SessionContext,
  { endpoint, options }: { endpoint: Endpoint; options: ConnectOptions },
): Promise<boolean> {
  const { settings, connector, timeouts } = context
  const isOffered = session.extensions.hasStartTls
  if (settings.tls === 'none' || (settings.tls === 'opportunistic' && !isOffered)) return false
  session.observer.enter('tls')
  if (!isOffered) throw startTlsMissing(session, settings.port)
  const awaited = { stage: 'tls', trigger: 'STARTTLS', timeoutMs: timeouts.commandMs } as const
  session.sendLine('STARTTLS')
  const reply = await session.readReply(awaited)
  if (!isPositive(reply)) throw startTlsFault(session, reply)
  const socket = session.release(awaited)
  session.adopt(await connector.secure(socket, endpoint, options))
  // Extensions announced in plain text are not trusted (RFC 3207, section 4.2).
  await hello(session, context)
  return true
}
