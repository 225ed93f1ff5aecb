import { createHmac } from 'node:crypto'
import type { FaultError } from '../delivery/fault-error.ts'
import { secretMask } from '../secret.ts'
import { loginFault, loginNotOffered, passwordMissing, tokenFault } from './handshake-fault.ts'
import type { AwaitedReply } from './session-fault.ts'
import { isPositive, isTransient, type SmtpReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'
import type { SmtpCredentials } from './smtp-settings.ts'

interface LoginOptions {
  readonly credentials: SmtpCredentials
  readonly isEncrypted: boolean
  readonly timeoutMs: number
}

const challengesMax = 4

/**
 * Logs in. When the DSN has credentials, a server without a log-in is not used.
 * @throws {FaultError}
 */
export async function authenticate(session: SmtpSession, options: LoginOptions): Promise<void> {
  const { credentials, isEncrypted, timeoutMs } = options
  const { observer } = session
  const hasToken = credentials.accessToken !== null
  observer.enter('auth')
  if (!hasToken && (credentials.password?.reveal() ?? '') === '') throw passwordMissing()
  const mechanisms = chooseMechanisms(session, credentials, isEncrypted)
  if (mechanisms.length === 0) throw loginNotOffered(session, { isEncrypted, hasToken })
  let refusal: FaultError | undefined
  for (const mechanism of mechanisms) {
    const reply = await attempt(session, mechanism, timeoutMs).catch((error: unknown) => {
      // Many servers close the connection after a refused log-in.
      throw refusal ?? error
    })
    if (isPositive(reply)) {
      observer.found(`Logged in with ${mechanism.name}${isEncrypted ? '' : ', unencrypted'}.`)
      return
    }
    // The first refusal is the most useful: some servers offer mechanisms that they do not support.
    refusal ??= hasToken
      ? tokenFault(session, reply, credentials.user.reveal())
      : loginFault(session, reply)
    if (isTransient(reply)) break
  }
  throw refusal ?? loginNotOffered(session, { isEncrypted, hasToken })
}

async function attempt(
  session: SmtpSession,
  mechanism: Mechanism,
  timeoutMs: number,
): Promise<SmtpReply> {
  const { name, initial } = mechanism
  const awaited: AwaitedReply = { stage: 'auth', trigger: `AUTH ${name}`, timeoutMs }
  if (initial === undefined) session.sendLine(`AUTH ${name}`)
  else session.sendLine(`AUTH ${name} ${encode(initial)}`, `AUTH ${name} ${secretMask}`)
  let reply = await session.readReply(awaited)
  for (let index = 0; reply.code === 334 && index < challengesMax; index += 1) {
    const response = mechanism.respond(decode(reply.lines[0] ?? ''), index)
    // "*" cancels the mechanism (RFC 4954, section 4).
    session.sendLine(response === undefined ? '*' : encode(response), secretMask)
    reply = await session.readReply(awaited)
  }
  return reply
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}

/**
 * One SASL mechanism: its initial response, and its responses to the server's challenges.
 * @see RFC 4954
 */
interface Mechanism {
  readonly name: string
  /** Undefined when the server sends the first challenge. */
  readonly initial: string | undefined
  /** Returns the response to challenge number `index` (decoded), or undefined when there is none. */
  respond(challenge: string, index: number): string | undefined
}

/**
 * Sends user name and password in the initial response.
 * @see RFC 4616
 */
function plain({ user, secret }: Login): Mechanism {
  return { name: 'PLAIN', initial: `\0${user}\0${secret}`, respond: () => undefined }
}

/**
 * Sends user name and password, without reading the prompts.
 * @see draft-murchison-sasl-login
 */
export function login({ user, secret }: Login): Mechanism {
  return {
    name: 'LOGIN',
    initial: undefined,
    respond: (_challenge, index) => [user, secret][index],
  }
}

/**
 * Proves the password with an HMAC of the server's challenge.
 * @see RFC 2195
 */
function cramMd5({ user, secret }: Login): Mechanism {
  return {
    name: 'CRAM-MD5',
    initial: undefined,
    respond: (challenge, index) =>
      index === 0
        ? `${user} ${createHmac('md5', secret).update(challenge).digest('hex')}`
        : undefined,
  }
}

/**
 * Sends an access token. A refusal comes as a challenge with the reason, to which the client sends an empty response.
 * @see https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
 */
function xoauth2({ user, secret }: Login): Mechanism {
  return {
    name: 'XOAUTH2',
    initial: `user=${user}\x01auth=Bearer ${secret}\x01\x01`,
    respond: (_challenge, index) => (index === 0 ? '' : undefined),
  }
}

/**
 * Sends an access token. To the reason of a refusal, which comes as a challenge, the client sends one byte.
 * @see RFC 7628, section 3
 */
function oauthBearer({ user, secret }: Login, server: string): Mechanism {
  const colon = server.lastIndexOf(':')
  const address = `host=${server.slice(0, colon)}\x01port=${server.slice(colon + 1)}`
  const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C')
  return {
    name: 'OAUTHBEARER',
    initial: `n,a=${name},\x01${address}\x01auth=Bearer ${secret}\x01\x01`,
    respond: (_challenge, index) => (index === 0 ? '\x01' : undefined),
  }
}

/** A user name and the secret that authenticates it. */
export interface Login {
  readonly user: string
  readonly secret: string
}

/**
 * Chooses the mechanisms to try, in order, from those that the server offers. As in Symfony, a password is used as the
 * token when XOAUTH2 is the only mechanism. A token is used for XOAUTH2, or for OAUTHBEARER where only that is offered.
 */
function chooseMechanisms(
  { extensions: { mechanisms: offered }, server }: SmtpSession,
  { user, password, accessToken }: SmtpCredentials,
  isEncrypted: boolean,
): Mechanism[] {
  if (accessToken !== null) {
    const token = { user: user.reveal(), secret: accessToken.reveal() }
    if (offered.has('XOAUTH2')) return [xoauth2(token)]
    return offered.has('OAUTHBEARER') ? [oauthBearer(token, server)] : []
  }
  const credentials = { user: user.reveal(), secret: password?.reveal() ?? '' }
  const byPassword = isEncrypted ? [plain, login, cramMd5] : [cramMd5, plain, login]
  const usable = byPassword.map((make) => make(credentials)).filter(({ name }) => offered.has(name))
  return usable.length === 0 && offered.has('XOAUTH2') ? [xoauth2(credentials)] : usable
}
