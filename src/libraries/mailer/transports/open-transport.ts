import { ApiTransport } from '../api/api-transport.ts'
import { HttpClient } from '../connect/http-client.ts'
import type { Fault } from '../delivery/fault.ts'
import { FaultError, type ImproveFault, improveFault } from '../delivery/fault-error.ts'
import { withPermits } from '../delivery/permit-line.ts'
import { createRedactor, type Redactor } from '../delivery/redactor.ts'
import { SendLimiter } from '../delivery/send-limiter.ts'
import type { SharedConnections } from '../delivery/shared-connections.ts'
import { type OpenRate, withSharedRate } from '../delivery/shared-rate.ts'
import { noObserver, type Observer } from '../delivery/stage.ts'
import type { Transport } from '../delivery/transport.ts'
import type {
  ParsedApiDsn,
  ParsedDsn,
  ParsedListDsn,
  ParsedLocalDsn,
  ParsedSmtpDsn,
} from '../dsn/parsed-dsn.ts'
import { DsnError } from '../grammar/dsn.ts'
import type { MailerContext } from '../mailer-context.ts'
import type { AccessToken } from '../oauth/access-token.ts'
import { AccessTokens } from '../oauth/access-tokens.ts'
import { findProvider } from '../providers/registry.ts'
import type { MailboxLogin, SessionContext } from '../smtp/session-context.ts'
import { SessionPool } from '../smtp/session-pool.ts'
import type { SmtpOAuth, SmtpSettings } from '../smtp/smtp-settings.ts'
import { SmtpTransport } from '../smtp/smtp-transport.ts'
import { CommandTransport } from './command-transport.ts'
import { GuardedTransport } from './guarded-transport.ts'
import { ListTransport } from './list-transport.ts'
import { LocalTransport } from './local-transports.ts'
import { MailboxTransport } from './mailbox-transport.ts'

/** What a transport and its members are opened with. */
interface TransportContext {
  readonly mailer: MailerContext
  /** Undefined if rate limits are not shared. */
  readonly openRate?: OpenRate | undefined
  /** Undefined if connections are not shared. */
  readonly connections?: SharedConnections | undefined
}

/**
 * Opens the transport of a parsed DSN, behind the guard of the mailer: nothing else opens one that sends.
 * @throws {DsnError} when the mailer's options forbid it.
 */
export function openTransport(dsn: ParsedDsn, context: TransportContext): Transport {
  const { guard, capture } = context.mailer
  const transport = openUnguarded(dsn, context)
  return guard === undefined ? transport : new GuardedTransport(transport, { guard, capture })
}

/** The rates of the members of a list are numbered. */
function openUnguarded(dsn: ParsedDsn, context: TransportContext): Transport {
  const { mailer, openRate, connections } = context
  if (openRate === undefined) return openMember(dsn, context)
  let count = 0
  const openNext = (maxPerSecond: number) => {
    count += 1
    return openRate(maxPerSecond, count)
  }
  return openMember(dsn, { mailer, openRate: openNext, connections })
}

function openMember(dsn: ParsedDsn, context: TransportContext): Transport {
  switch (dsn.kind) {
    case 'smtp':
      return openSmtp(dsn, context)
    case 'api':
      return openApi(dsn, context, { observer: noObserver, tokens: apiTokens(dsn, context.mailer) })
    case 'null':
      return new LocalTransport(dsn.label)
    case 'inbox':
      return openInbox(dsn, context.mailer)
    case 'command':
      return openCommand(dsn, context)
    case 'failover':
    case 'roundrobin':
      return openList(dsn, context)
  }
}

/** Creates the functions that mask secrets and add provider hints for one DSN. */
export function faultHandling(
  { secrets, provider }: ParsedSmtpDsn | ParsedApiDsn,
  token?: AccessToken,
): { redact: Redactor; improve: ImproveFault } {
  const redactDsn = createRedactor(secrets.map((secret) => secret.reveal()))
  const redact: Redactor = token === undefined ? redactDsn : (text) => token.redact(redactDsn(text))
  const known = findProvider(provider ?? '')
  return { redact, improve: (error) => improveFault(error, redact, known?.advise?.(error.fault)) }
}

/** Creates what the sessions of an SMTP transport share, and how its faults are shown. */
export function smtpSessions(
  dsn: ParsedSmtpDsn,
  { connector, localDomain, timeouts }: MailerContext,
  login?: MailboxLogin,
): { sessions: SessionContext; improve: ImproveFault } {
  const { redact, improve } = faultHandling(dsn, login?.token)
  const { settings } = dsn
  const isOfMailbox = ({ fault }: FaultError) =>
    login?.isOfSender === true && isLoginRefused(fault, settings)
  return {
    sessions: {
      settings,
      login,
      connector,
      timeouts,
      redact,
      localDomain: settings.localDomain ?? localDomain,
    },
    improve: (error) => (isOfMailbox(error) ? asMessageFault(improve(error)) : improve(error)),
  }
}

/** Whether this mailbox cannot be opened, and another one may be. */
function isLoginRefused({ code, reply }: Fault, { oauth }: SmtpSettings): boolean {
  if (code === 'token_refused' || code === 'login_unavailable') return true
  // The token endpoint does not know the mailbox that a service account acts for.
  const isOfAssertion = oauth?.grant.type === 'jwt_bearer'
  return isOfAssertion && code === 'credentials_refused' && reply?.enhancedCode === 'invalid_grant'
}

function asMessageFault({ fault, cause, recipients }: FaultError): FaultError {
  return new FaultError({ ...fault, scope: 'message' }, { cause, recipients })
}

function openSmtp(dsn: ParsedSmtpDsn, context: TransportContext): Transport {
  const { maxPerSecond } = dsn.settings
  const transport =
    dsn.settings.oauth === null
      ? openSessions(dsn, context)
      : openOAuth(dsn, dsn.settings.oauth, context)
  return shareRate(transport, maxPerSecond, context)
}

/** Opens the connections of a log-in. */
function openSessions(
  dsn: ParsedSmtpDsn,
  context: TransportContext,
  login?: MailboxLogin,
): Transport {
  const { mailer, connections } = context
  const { clock, signer, timeouts } = mailer
  const { sessions, improve } = smtpSessions(dsn, mailer, login)
  return new SmtpTransport({
    label: dsn.label,
    settings: dsn.settings,
    timeouts,
    improve,
    signer,
    limiter: openLimiter(context, dsn.settings),
    pool: new SessionPool({ sessions, idleMs: timeouts.idleMs, connections, clock }),
  })
}

/** Opens the connections of one mailbox, or of each mailbox that sends. */
function openOAuth(
  dsn: ParsedSmtpDsn,
  { grant, mailbox }: SmtpOAuth,
  context: TransportContext,
): Transport {
  const { mailer } = context
  const tokens = new AccessTokens(grant, mailer)
  const open = (address: string) =>
    openSessions(dsn, context, {
      mailbox: address,
      token: tokens.of(address),
      isOfSender: mailbox === null,
    })
  const transport =
    mailbox === null
      ? new MailboxTransport({
          label: dsn.label,
          openMailbox: open,
          onClosed: (address) => tokens.release(address),
          idleMs: mailer.timeouts.idleMs,
          maxPerMinute: dsn.settings.maxPerMinute,
          clock: mailer.clock,
        })
      : open(mailbox)
  return closingTokens(transport, tokens)
}

/** Closes the client of a transport's access tokens with the transport. */
function closingTokens(transport: Transport, tokens: AccessTokens | undefined): Transport {
  if (tokens === undefined) return transport
  return {
    label: transport.label,
    send: (message, options) => transport.send(message, options),
    load: () => transport.load(),
    async close() {
      await transport.close()
      await tokens.close()
    },
  }
}

/** Lets processes share the rate limit, where the mailer's user asks for it. */
function shareRate(
  transport: Transport,
  maxPerSecond: number | null,
  { openRate }: TransportContext,
): Transport {
  if (maxPerSecond === null || openRate === undefined) return transport
  return withSharedRate(transport, openRate(maxPerSecond, 1))
}

/** Creates the access tokens of an API with OAuth. */
export function apiTokens(
  { adapter: { grant } }: ParsedApiDsn,
  context: MailerContext,
  observer?: Observer,
): AccessTokens | undefined {
  return grant === undefined ? undefined : new AccessTokens(grant, context, observer)
}

/** What a test passes to see the steps. */
interface OpenApiOptions {
  readonly observer: Observer
  /** The tokens of an API with OAuth; undefined for other APIs. */
  readonly tokens: AccessTokens | undefined
}

/** Opens the transport of a provider's API. */
export function openApi(
  dsn: ParsedApiDsn,
  context: TransportContext,
  { observer, tokens }: OpenApiOptions,
): Transport {
  const { connector, clock, connectionsMax, timeouts } = context.mailer
  const token = tokens?.of('')
  const transport = new ApiTransport({
    ...faultHandling(dsn, token),
    token,
    observer,
    adapter: dsn.adapter,
    label: dsn.label,
    title: findProvider(dsn.provider ?? '')?.title ?? dsn.label,
    client: new HttpClient({ connector, connectionsMax, requestMs: timeouts.requestMs, observer }),
    clock,
    limiter: openLimiter(context, dsn),
  })
  const { connections } = context
  // A request counts as a connection.
  const limited = connections === undefined ? transport : withPermits(transport, connections)
  return shareRate(closingTokens(limited, tokens), dsn.maxPerSecond, context)
}

function openInbox({ label }: ParsedLocalDsn, { capture }: MailerContext): Transport {
  if (capture === undefined) throw new DsnError('forbidden', 'No inbox is configured.')
  return new LocalTransport(label, capture)
}

function openCommand(
  { label, hasReturnPath }: ParsedLocalDsn,
  context: TransportContext,
): Transport {
  const { command, timeouts } = context.mailer
  if (command === undefined) throw new DsnError('forbidden', 'No sendmail command is configured.')
  return new CommandTransport({
    command,
    label,
    limiter: openLimiter(context, { maxPerSecond: null }),
    timeoutMs: timeouts.dataMs,
    hasReturnPath,
  })
}

function openList(dsn: ParsedListDsn, context: TransportContext): Transport {
  const { kind, label, retryPeriodMs } = dsn
  const { clock, random } = context.mailer
  const members = dsn.members.map((member) => openMember(member, context))
  return new ListTransport({ kind, members, retryPeriodMs, label, clock, random })
}

interface SendLimits {
  readonly maxPerSecond: number | null
  readonly maxPerMinute?: number | null
  readonly connectionsMax?: number | null
}

function openLimiter({ mailer, openRate }: TransportContext, limits: SendLimits): SendLimiter {
  const { clock, connectionsMax } = mailer
  return new SendLimiter({
    concurrencyMax: Math.min(connectionsMax, limits.connectionsMax ?? Infinity),
    maxPerSecond: openRate === undefined ? limits.maxPerSecond : null,
    maxPerMinute: limits.maxPerMinute ?? null,
    clock,
  })
}
