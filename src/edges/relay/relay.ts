import { hostname } from 'node:os'
import type { SecureContext } from 'node:tls'
import type { CheckSender } from '../../core/brands/index.ts'
import { createReply, type NewSubmission, submitterOf } from '../../core/delivery/index.ts'
import type { RecipientReply, SubmissionAcceptor } from '../../core/queue/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { ByteBudget } from '../../kit/byte-budget.ts'
import type { Brands, Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { isLoopback } from '../../kit/network-of.ts'
import type { Login, Logins } from '../../platform/auth/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { BounceMail } from './bounce-mail.ts'
import {
  type CommandReply,
  createNetworkLookup,
  openServerTls,
  openSmtpServer,
  type ReceivedMessage,
  type ServerCertificate,
  type SmtpServer,
} from './smtp/index.ts'

export interface RelayOptions {
  config: Config
  /** Reads the configuration again, for a certificate that has changed; it may throw. */
  rereadConfig: () => Config
  /** The memory for messages that are being received and sent. */
  memory: ByteBudget
  logins: Logins
  delivery: { acceptor: Pick<SubmissionAcceptor, 'accept'> }
  /** Mail to return paths; undefined: there are none. */
  bounceMail: BounceMail | undefined
  /** See `SendingBrands`. */
  checkSender: CheckSender
  clock: Clock
  log: Log
}

const secondMs = 1_000
const megabyte = 1_048_576
const recipientsMax = 1_000
const timeouts = { commandMs: 300_000, pieceMs: 120_000, messageMs: 900_000 }

/** Opens the SMTP server, whose messages are sent through their transports. Throws an AppError for wrong settings. */
export async function openRelay(options: RelayOptions): Promise<SmtpServer> {
  const { config, clock, log, logins } = options
  const { smtpHost: host, smtpPort: port, smtpsPort: securePort } = config
  const networks = createNetworkLookup<Login>(
    config.smtpTrustedNetworks.map(({ network, username }) => ({
      network,
      value: logins.trust(username),
    })),
  )
  const server = await openSmtpServer({
    host,
    port,
    securePort,
    secureContext: openTls(options),
    rules: {
      name: hostname(),
      sizeMax: config.smtpMessageSizeMegabytesMax * megabyte,
      recipientsMax,
      bounces: options.bounceMail,
      logIn: (attempt) => logins.logIn(attempt),
      accept: (login) => accept(login, log),
      checkSender: ({ brands }, sender) => checkEnvelope(options.checkSender, brands, sender),
      submit: (message) => submit(message, options),
    },
    trust: networks,
    connectionsMax: config.smtpConnectionsMax,
    connectionsPerAddressMax: config.smtpConnectionsPerAddressMax,
    unauthenticatedMax: config.smtpUnauthenticatedMax,
    memory: options.memory,
    timeouts: { ...timeouts, loginMs: config.smtpLoginSeconds * secondMs },
    clock,
    log,
  })
  for (const [name, at] of Object.entries({ smtp: server.port, smtps: server.securePort })) {
    if (at !== undefined) log.info(`listening at ${name}://${host}:${at}`)
  }
  const isReachable =
    (port ?? securePort) !== undefined && !isLoopback(host) && host !== 'localhost'
  if (isReachable && config.smtpTlsCertificate === undefined) {
    log.warn('SMTP server without certificate: from other machines only trusted networks may send')
  }
  return server
}

/** Returns undefined if TLS is not configured. */
function openTls(options: RelayOptions): (() => SecureContext) | undefined {
  const { config, rereadConfig, clock, log } = options
  const { smtpsPort: securePort } = config
  const first = certificateOf(config)
  const read = () => certificateOf(rereadConfig())
  const isConfigured = (securePort ?? first.certificate ?? first.key) !== undefined
  return isConfigured ? openServerTls({ first, read, clock, log }) : undefined
}

function certificateOf({ smtpTlsCertificate, smtpTlsKey }: Config): ServerCertificate {
  return { certificate: smtpTlsCertificate, key: smtpTlsKey }
}

/** Checks the permission for each message, so that a revoked one takes effect immediately. */
async function accept(login: Login, log: Log): Promise<Caller | CommandReply> {
  try {
    const caller = await login.findCaller()
    if (caller === undefined) return createReply(530, '5.7.0', 'Authentication required')
    if (caller.can('email:send')) return caller
    return createReply(550, '5.7.1', 'You do not have permission to send (email:send)')
  } catch (err) {
    log.warn({ err }, 'SMTP caller not looked up')
    const text =
      err instanceof AppError ? err.message : 'An unexpected error occurred; try again later'
    return createReply(451, '4.3.0', text)
  }
}

/** Returns the reply to an envelope sender that the brands of a log-in do not have. */
async function checkEnvelope(
  checkSender: CheckSender,
  brands: Brands,
  sender: string,
): Promise<CommandReply | undefined> {
  const sent = await checkSender(brands, { senders: [sender] })
  return 'problem' in sent ? createReply(550, '5.7.1', sent.problem) : undefined
}

/** Submits a message, or reads what came back, and returns the reply to its sender. It does not throw. */
async function submit(
  received: ReceivedMessage,
  { bounceMail, delivery, config }: Pick<RelayOptions, 'bounceMail' | 'delivery' | 'config'>,
): Promise<CommandReply> {
  const { caller, sender, chunks, reserve } = received
  const reports: RecipientReply[] = []
  const recipients: string[] = []
  for (const to of received.recipients)
    if (bounceMail?.isAddress(to))
      reports.push({ address: to, reply: await bounceMail.receive(to, received) })
    else recipients.push(to)
  if (caller === undefined || recipients.length === 0) return combineReplies(reports)
  const submitter = submitterOf(caller, null)
  const submission: NewSubmission = { submitter, sender, recipients, chunks, reserve }
  const { replies, acknowledge } = await delivery.acceptor.accept(submission, {
    mode: caller.smtpMode ?? config.smtpMode,
    brands: caller.brands,
  })
  const reply = combineReplies([...replies, ...reports])
  const isAcknowledged = reply.code < 400 && acknowledge !== undefined
  return isAcknowledged ? { ...reply, onWritten: acknowledge } : reply
}

const unexpected = createReply(451, '4.3.0', 'An unexpected error occurred; try again later')

/**
 * Combines the replies into the one reply that SMTP allows. It is 250 only if all are; else the first temporary one,
 * because a retry may help, else the first permanent one. It names the recipients who have the message and those who
 * do not.
 */
function combineReplies(replies: readonly RecipientReply[]): CommandReply {
  const failed = replies.filter(({ reply }) => reply.code >= 400)
  const [first] = replies
  if (first === undefined) return unexpected
  if (failed.length === 0) return first.reply
  const { reply } = failed.find((each) => each.reply.code < 500) ?? failed[0] ?? first
  if (replies.length === 1) return reply
  const accepted = replies.filter((each) => each.reply.code < 400)
  const names = (recipients: readonly RecipientReply[]) =>
    recipients.map(({ address }) => address).join(', ')
  const rest =
    accepted.length === 0 ? '' : `; accepted for ${names(accepted)}, who will not get it again`
  return createReply(reply.code, reply.status, `${reply.text} (not for ${names(failed)}${rest})`)
}
