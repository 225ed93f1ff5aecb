import type { FaultError } from '../../delivery/fault-error.ts'
import { secretMask } from '../../secret.ts'
import type { AwaitedReply } from '../awaited-reply.ts'
import { isPositive, isTransient, type SmtpReply } from '../smtp-reply.ts'
import type { SmtpSession } from '../smtp-session.ts'
import type { SmtpCredentials } from '../smtp-settings.ts'
import { loginFault, loginNotOffered, passwordMissing } from './login-fault.ts'
import { chooseMechanisms, type Mechanism } from './mechanisms.ts'

interface LoginOptions {
  readonly credentials: SmtpCredentials
  readonly isEncrypted: boolean
  readonly timeoutMs: number
}

const challengesMax = 4

/**
 * Logs in. Where credentials are given there is no way round it: a server that offers no log-in is
 * refused, and not used without one. Throws FaultError.
 */
export async function authenticate(session: SmtpSession, options: LoginOptions): Promise<void> {
  const { credentials, isEncrypted, timeoutMs } = options
  const { observer, extensions } = session
  observer.enter('auth')
  if (credentials.accessToken === null && (credentials.password?.reveal() ?? '') === '')
    throw passwordMissing()
  const mechanisms = chooseMechanisms(credentials, extensions.mechanisms, isEncrypted)
  if (mechanisms.length === 0) throw loginNotOffered(session, isEncrypted)
  let refusal: FaultError | undefined
  for (const mechanism of mechanisms) {
    const reply = await attempt(session, mechanism, timeoutMs).catch((error: unknown) => {
      // Many a server closes after a refused log-in.
      throw refusal ?? error
    })
    if (isPositive(reply)) {
      observer.found(`Logged in with ${mechanism.name}${isEncrypted ? '' : ', unencrypted'}.`)
      return
    }
    // The first refusal says most: later mechanisms are offered by servers that do not mean them.
    refusal ??= loginFault(session, reply)
    if (isTransient(reply)) break
  }
  throw refusal ?? loginNotOffered(session, isEncrypted)
}

async function attempt(
  session: SmtpSession,
  mechanism: Mechanism,
  timeoutMs: number,
): Promise<SmtpReply> {
  const { name, initial } = mechanism
  const awaited: AwaitedReply = { stage: 'auth', what: `AUTH ${name}`, timeoutMs }
  if (initial === undefined) session.sendLine(`AUTH ${name}`)
  else session.sendLine(`AUTH ${name} ${encode(initial)}`, `AUTH ${name} ${secretMask}`)
  let reply = await session.readReply(awaited)
  for (let index = 0; reply.code === 334 && index < challengesMax; index += 1) {
    const answer = mechanism.answer(decode(reply.lines[0] ?? ''), index)
    // "*" gives the mechanism up (RFC 4954, section 4).
    session.sendLine(answer === undefined ? '*' : encode(answer), secretMask)
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
