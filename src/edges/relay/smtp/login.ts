import { createReply } from '../../../core/delivery/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import {
  type CommandReply,
  type CommandResult,
  formatReply,
  type Session,
  type SmtpServerRules,
} from './session.ts'

/** A connection is closed after so many failed log-ins. */
const failedLoginsMax = 3

/** Whether a password may be sent: over TLS, or on this machine. */
export function canLogIn({ isSecure, isLocal }: Session): boolean {
  return isSecure || isLocal
}

/** Starts AUTH PLAIN (RFC 4616) or LOGIN, with or without an initial response (RFC 4954). */
export function startLogin(
  argument: string,
  session: Session,
  rules: SmtpServerRules,
): CommandResult | Promise<CommandResult> {
  const [mechanism = '', initial] = argument.trim().split(/\s+/)
  const isKnown = /^(plain|login)$/i.test(mechanism)
  if (!isKnown) return resultOf(createReply(504, '5.5.4', 'Use AUTH PLAIN or LOGIN'))
  if (!canLogIn(session)) {
    // RFC 4954, section 6.
    return resultOf(createReply(538, '5.7.11', 'Encryption required: send STARTTLS first'))
  }
  const isPlain = mechanism.toLowerCase() === 'plain'
  const take = isPlain ? takePlain : takeUsername
  const answer = (line: string) => take(line, session, rules)
  if (initial !== undefined) return answer(initial)
  session.answer = answer
  return { text: isPlain ? '334 \r\n' : `334 ${usernamePrompt}\r\n` }
}

const usernamePrompt = Buffer.from('Username:').toString('base64')
const passwordPrompt = Buffer.from('Password:').toString('base64')

function takePlain(line: string, session: Session, rules: SmtpServerRules) {
  const parts = decode(line)?.split('\0')
  if (parts?.length !== 3) return malformed(line)
  const [authorize = '', login = '', password = ''] = parts
  if (authorize !== '' && authorize !== login) {
    return fail(session, createReply(535, '5.7.8', 'You cannot log in as another user'))
  }
  return logIn({ login, password }, session, rules)
}

function takeUsername(line: string, session: Session, rules: SmtpServerRules): CommandResult {
  const login = decode(line)
  if (login === undefined) return malformed(line)
  session.answer = (next) => {
    const password = decode(next)
    return password === undefined ? malformed(next) : logIn({ login, password }, session, rules)
  }
  return { text: `334 ${passwordPrompt}\r\n` }
}

async function logIn(
  credentials: { login: string; password: string },
  session: Session,
  rules: SmtpServerRules,
): Promise<CommandResult> {
  try {
    const login = await rules.logIn({ ...credentials, address: session.address })
    const caller = await rules.accept(login)
    if ('code' in caller) return fail(session, asLoginReply(caller))
    session.login = login
    return { ...resultOf(createReply(235, '2.7.0', 'Logged in')), next: 'authenticated' }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.kind === 'unauthenticated') {
      return fail(session, createReply(535, '5.7.8', error.message))
    }
    return fail(session, createReply(454, '4.7.0', error.message))
  }
}

/** RFC 4954, section 6. */
function asLoginReply({ code, text }: CommandReply): CommandReply {
  return code < 500 ? createReply(454, '4.7.0', text) : createReply(535, '5.7.8', text)
}

function fail(session: Session, reply: CommandReply): CommandResult {
  session.failedLogins += 1
  const text = formatReply(reply)
  return session.failedLogins < failedLoginsMax ? { text } : { text, next: 'close' }
}

/** `*` cancels the log-in (RFC 4954, section 4). */
function malformed(line: string): CommandResult {
  if (line.trim() === '*') return resultOf(createReply(501, '5.7.0', 'Log-in cancelled'))
  return resultOf(createReply(501, '5.5.2', 'Invalid base64'))
}

function decode(line: string): string | undefined {
  const text = line.trim()
  // An empty initial response is written as `=`.
  if (text === '=') return ''
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  return Buffer.from(text, 'base64').toString('utf8')
}

function resultOf(reply: CommandReply): CommandResult {
  return { text: formatReply(reply) }
}
