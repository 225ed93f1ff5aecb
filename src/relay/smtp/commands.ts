import { emailKey } from '../../kit/email-key.ts'
import { isSoundAddress, parsePath } from './address.ts'
import { beginLogin, canLogIn } from './login.ts'
import { readMailParameters, readRecipientParameters } from './parameters.ts'
import { createReply, formatReply } from './reply.ts'
import type { DoorRules, OpenEnvelope, Outcome, Session } from './session.ts'

type Command = (argument: string, session: Session, rules: DoorRules) => Outcome | Promise<Outcome>

/** Who keeps sending what is no command is no mail client. */
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
  ['QUIT', () => reply(221, '2.0.0', 'Bye', 'bye')],
  ['VRFY', () => reply(252, '2.5.2', 'Send something and see')],
  ['EXPN', () => reply(502, '5.5.1', 'There are no lists here')],
  ['HELP', () => reply(214, '2.0.0', 'See RFC 5321')],
])

/** Does what a line asks for. */
export function runCommand(
  line: string,
  session: Session,
  rules: DoorRules,
): Outcome | Promise<Outcome> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character is what it looks for
  if (/[\u0000-\u0008\u000a-\u001f]/.test(line)) return unknown(session)
  const space = line.search(/\s/)
  const verb = (space === -1 ? line : line.slice(0, space)).toUpperCase()
  const command = commands.get(verb)
  if (command !== undefined)
    return command(space === -1 ? '' : line.slice(space + 1), session, rules)
  if (/ HTTP\/\d/.test(line)) return reply(421, '4.7.0', 'This is no web server', 'close')
  return unknown(session)
}

function unknown(session: Session): Outcome {
  session.unknownCommands += 1
  if (session.unknownCommands >= unknownCommandsMax) {
    return reply(421, '4.7.0', 'Too many unknown commands', 'close')
  }
  return reply(500, '5.5.1', 'That is no command that is known here')
}

function reply(code: number, status: string, text: string, next?: Outcome['next']): Outcome {
  const line = formatReply(createReply(code, status, text))
  return next === undefined ? { text: line } : { text: line, next }
}

function greet(argument: string, session: Session): Outcome | undefined {
  const hello = argument.trim()
  if (hello === '') return reply(501, '5.5.4', 'Say who you are: EHLO your.name')
  session.hello = hello
  session.envelope = undefined
  return undefined
}

function helo(argument: string, session: Session, { name }: DoorRules): Outcome {
  return greet(argument, session) ?? { text: `250 ${name}\r\n` }
}

/** RFC 5321, section 4.1.1.1. AUTH stands there only where it may be used (RFC 4954, section 4). */
function ehlo(argument: string, session: Session, rules: DoorRules): Outcome {
  const refusal = greet(argument, session)
  if (refusal !== undefined) return refusal
  const lines = [
    rules.name,
    'PIPELINING',
    `SIZE ${rules.sizeMax}`,
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    'DSN',
  ]
  if (rules.hasTls && !session.isSecure) lines.push('STARTTLS')
  if (canLogIn(session) && session.login === undefined) lines.push('AUTH PLAIN LOGIN')
  const last = lines.length - 1
  return { text: lines.map((line, at) => `250${at === last ? ' ' : '-'}${line}\r\n`).join('') }
}

async function mail(argument: string, session: Session, rules: DoorRules): Promise<Outcome> {
  if (session.hello === undefined) return reply(503, '5.5.1', 'Say EHLO first')
  if (session.envelope !== undefined) return reply(503, '5.5.1', 'A message has begun already')
  const login = session.login ?? session.lent
  if (login === undefined) {
    if (canLogIn(session)) return reply(530, '5.7.0', 'Log in first')
    const first = rules.hasTls ? 'Say STARTTLS, then log in' : 'Only this machine may log in here'
    return reply(530, '5.7.0', first)
  }
  const caller = await rules.admit(login)
  if ('code' in caller) return { text: formatReply(caller) }
  const path = /^from:/i.test(argument) ? parsePath(argument.slice(5)) : undefined
  if (path === undefined) return reply(501, '5.5.4', 'Write it as MAIL FROM:<name@example.com>')
  const { address } = path
  if (address !== '' && !isSoundAddress(address)) {
    return reply(501, '5.1.7', 'That is no address that mail can come from')
  }
  const parameters = readMailParameters(path, rules)
  if ('code' in parameters) return { text: formatReply(parameters) }
  session.envelope = {
    caller,
    sender: address,
    recipients: new Map(),
    notification: parameters,
    notifications: {},
  }
  return reply(250, '2.1.0', 'Sender ok')
}

function recipient(argument: string, session: Session, rules: DoorRules): Outcome {
  const { envelope } = session
  if (envelope === undefined) return reply(503, '5.5.1', 'Say MAIL FROM first')
  const path = /^to:/i.test(argument) ? parsePath(argument.slice(3)) : undefined
  if (path === undefined) return reply(501, '5.5.4', 'Write it as RCPT TO:<name@example.com>')
  if (!isSoundAddress(path.address)) {
    return reply(553, '5.1.3', 'That is no address that mail can be sent to')
  }
  if (envelope.recipients.size >= rules.recipientsMax) {
    return reply(452, '4.5.3', `A message may have ${rules.recipientsMax} recipients`)
  }
  const parameters = readRecipientParameters(path)
  if ('code' in parameters) return { text: formatReply(parameters) }
  addRecipient(envelope, path.address, parameters)
  return reply(250, '2.1.5', 'Recipient ok')
}

/** Whoever is named twice gets it once. */
function addRecipient(
  { recipients, notifications }: OpenEnvelope,
  address: string,
  parameters: { notify?: string; originalRecipient?: string },
): void {
  const key = emailKey(address)
  if (recipients.has(key)) return
  recipients.set(key, address)
  if (Object.keys(parameters).length > 0) notifications[address] = parameters
}

function data(_argument: string, { envelope }: Session): Outcome {
  if (envelope === undefined) return reply(503, '5.5.1', 'Say MAIL FROM first')
  if (envelope.recipients.size === 0) return reply(503, '5.5.1', 'Say RCPT TO first')
  return { text: '354 End with a line that is a single dot\r\n', next: 'data' }
}

function reset(_argument: string, session: Session): Outcome {
  session.envelope = undefined
  return reply(250, '2.0.0', 'Ok')
}

function auth(argument: string, session: Session, rules: DoorRules): Outcome | Promise<Outcome> {
  if (session.hello === undefined) return reply(503, '5.5.1', 'Say EHLO first')
  if (session.login !== undefined) return reply(503, '5.5.1', 'You have logged in already')
  if (session.envelope !== undefined) return reply(503, '5.5.1', 'Not in the midst of a message')
  return beginLogin(argument, session, rules)
}

function startTls(argument: string, session: Session, { hasTls }: DoorRules): Outcome {
  if (session.isSecure) return reply(503, '5.5.1', 'TLS is there already')
  if (!hasTls) return reply(502, '5.5.1', 'There is no TLS here')
  if (argument.trim() !== '') return reply(501, '5.5.4', 'STARTTLS stands alone')
  return reply(220, '2.0.0', 'Begin TLS', 'tls')
}
