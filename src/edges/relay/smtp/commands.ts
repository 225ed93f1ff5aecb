import { createReply } from '../../../core/delivery/index.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import { isMailAddress } from '../../../libraries/mailer/index.ts'
import { checkMailParameters, parsePath, refuseUnknown } from './arguments.ts'
import { canLogIn, startLogin } from './login.ts'
import {
  type CommandReply,
  type CommandResult,
  formatReply,
  type Session,
  type SmtpServerRules,
} from './session.ts'

type Command = (
  argument: string,
  session: Session,
  rules: SmtpServerRules,
) => CommandResult | Promise<CommandResult>

/** A client that sends more unknown commands is disconnected. */
const unknownCommandsMax = 10

const commands = new Map<string, Command>([
  ['EHLO', ehlo],
  ['HELO', helo],
  ['MAIL', mail],
  ['RCPT', recipient],
  ['DATA', data],
  ['RSET', reset],
  ['AUTH', auth],
  ['STARTTLS', startTls],
  ['NOOP', () => reply(250, '2.0.0', 'Ok')],
  ['QUIT', () => ({ ...reply(221, '2.0.0', 'Bye'), next: 'bye' })],
  ['VRFY', () => reply(252, '2.5.2', 'Cannot verify the address; send a message')],
  ['EXPN', () => reply(502, '5.5.1', 'There are no mailing lists')],
  ['HELP', () => reply(214, '2.0.0', 'See RFC 5321')],
])

/** Runs the command in a line. */
export function runCommand(
  line: string,
  session: Session,
  rules: SmtpServerRules,
): CommandResult | Promise<CommandResult> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character is what it looks for
  if (/[\u0000-\u0008\u000a-\u001f]/.test(line)) return unknown(session)
  const space = line.search(/\s/)
  const verb = (space === -1 ? line : line.slice(0, space)).toUpperCase()
  const command = commands.get(verb)
  if (command !== undefined)
    return command(space === -1 ? '' : line.slice(space + 1), session, rules)
  if (/ HTTP\/\d/.test(line))
    return { ...reply(421, '4.7.0', 'This is not a web server'), next: 'close' }
  return unknown(session)
}

function unknown(
  session: Session,
  text = formatReply(createReply(500, '5.5.1', 'Command not recognized')),
): CommandResult {
  session.unknownCommands += 1
  if (session.unknownCommands >= unknownCommandsMax) {
    return { ...reply(421, '4.7.0', 'Too many unknown commands'), next: 'close' }
  }
  return { text }
}

function reply(code: number, status: string, text: string): CommandResult {
  return { text: formatReply(createReply(code, status, text)) }
}

function greet(argument: string, session: Session): CommandResult | undefined {
  const hello = argument.trim()
  if (hello === '') return reply(501, '5.5.4', 'Syntax: EHLO hostname')
  session.hello = hello
  session.envelope = undefined
  return undefined
}

function helo(argument: string, session: Session, { name }: SmtpServerRules): CommandResult {
  return greet(argument, session) ?? { text: `250 ${name}\r\n` }
}

/** RFC 5321, section 4.1.1.1. It lists AUTH only where it is allowed (RFC 4954, section 4). */
function ehlo(argument: string, session: Session, rules: SmtpServerRules): CommandResult {
  const refusal = greet(argument, session)
  if (refusal !== undefined) return refusal
  const lines = [
    rules.name,
    'PIPELINING',
    `SIZE ${rules.sizeMax}`,
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
  ]
  if (rules.hasTls && !session.isSecure) lines.push('STARTTLS')
  if (canLogIn(session) && session.login === undefined) lines.push('AUTH PLAIN LOGIN')
  const last = lines.length - 1
  return { text: lines.map((line, at) => `250${at === last ? ' ' : '-'}${line}\r\n`).join('') }
}

async function mail(
  argument: string,
  session: Session,
  rules: SmtpServerRules,
): Promise<CommandResult> {
  if (session.hello === undefined) return reply(503, '5.5.1', 'Send EHLO first')
  if (session.envelope !== undefined)
    return reply(503, '5.5.1', 'A mail transaction is open already')
  const login = session.login ?? session.trustedLogin
  if (login === undefined && rules.bounces === undefined) return askForLogin(session, rules)
  const caller = login === undefined ? undefined : await rules.accept(login)
  if (caller !== undefined && 'code' in caller) return { text: formatReply(caller) }
  const path = /^from:/i.test(argument) ? parsePath(argument.slice(5)) : undefined
  if (path === undefined) return reply(501, '5.5.4', 'Syntax: MAIL FROM:<name@example.com>')
  const { address } = path
  if (address !== '' && !isMailAddress(address)) {
    return reply(501, '5.1.7', 'The sender is not a valid address')
  }
  const invalid =
    checkMailParameters(path, rules.sizeMax) ??
    (caller === undefined || caller.brands === 'all' || address === ''
      ? undefined
      : await rules.checkSender(caller, address))
  if (invalid !== undefined) return { text: formatReply(invalid) }
  session.envelope = { caller, sender: address, recipients: new Map() }
  return reply(250, '2.1.0', 'Sender ok')
}

function askForLogin(session: Session, { hasTls }: SmtpServerRules): CommandResult {
  if (canLogIn(session)) return reply(530, '5.7.0', 'Log in first')
  const first = hasTls ? 'Send STARTTLS, then log in' : 'Without TLS only this machine may log in'
  return reply(530, '5.7.0', first)
}

/** Without a log-in, only one return path is a recipient. */
function recipient(
  argument: string,
  session: Session,
  rules: SmtpServerRules,
): CommandResult | Promise<CommandResult> {
  const { envelope } = session
  const { bounces } = rules
  if (envelope === undefined) return reply(503, '5.5.1', 'Send MAIL FROM first')
  const path = /^to:/i.test(argument) ? parsePath(argument.slice(3)) : undefined
  if (path === undefined) return reply(501, '5.5.4', 'Syntax: RCPT TO:<name@example.com>')
  const isBounce = bounces?.isAddress(path.address) === true
  if (envelope.caller === undefined && !isBounce) return askForLogin(session, rules)
  if (!isMailAddress(path.address)) {
    return reply(553, '5.1.3', 'The recipient is not a valid address')
  }
  const recipientsMax = envelope.caller === undefined ? 1 : rules.recipientsMax
  if (envelope.recipients.size >= recipientsMax) {
    return reply(452, '4.5.3', `A message may have ${recipientsMax} recipients`)
  }
  const unknownParameter = refuseUnknown(path, [])
  if (unknownParameter !== undefined) return { text: formatReply(unknownParameter) }
  const settle = (refusal?: CommandReply): CommandResult => {
    if (refusal !== undefined) {
      const text = formatReply(refusal)
      // Guesses end as unknown commands do. What is refused for now is none.
      const isGuess = envelope.caller === undefined && refusal.code >= 500
      return isGuess ? unknown(session, text) : { text }
    }
    // A repeated recipient gets one message.
    const key = emailKey(path.address)
    if (!envelope.recipients.has(key)) envelope.recipients.set(key, path.address)
    return reply(250, '2.1.5', 'Recipient ok')
  }
  return isBounce && bounces !== undefined ? bounces.check(path.address).then(settle) : settle()
}

function data(_argument: string, { envelope }: Session): CommandResult {
  if (envelope === undefined) return reply(503, '5.5.1', 'Send MAIL FROM first')
  if (envelope.recipients.size === 0) return reply(503, '5.5.1', 'Send RCPT TO first')
  return { text: '354 End with a line that is a single dot\r\n', next: 'data' }
}

function reset(_argument: string, session: Session): CommandResult {
  session.envelope = undefined
  return reply(250, '2.0.0', 'Ok')
}

function auth(
  argument: string,
  session: Session,
  rules: SmtpServerRules,
): CommandResult | Promise<CommandResult> {
  if (session.hello === undefined) return reply(503, '5.5.1', 'Send EHLO first')
  if (session.login !== undefined) return reply(503, '5.5.1', 'You are logged in already')
  if (session.envelope !== undefined)
    return reply(503, '5.5.1', 'AUTH is not allowed during a mail transaction')
  return startLogin(argument, session, rules)
}

function startTls(argument: string, session: Session, { hasTls }: SmtpServerRules): CommandResult {
  if (session.isSecure) return reply(503, '5.5.1', 'TLS is active already')
  if (!hasTls) return reply(502, '5.5.1', 'TLS is not available')
  if (argument.trim() !== '') return reply(501, '5.5.4', 'STARTTLS takes no parameters')
  return { ...reply(220, '2.0.0', 'Ready to start TLS'), next: 'tls' }
}
