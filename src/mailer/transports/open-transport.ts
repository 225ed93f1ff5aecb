import { openApiTransport } from '../api/api-transport.ts'
import { openHttpsClient } from '../connect/https-client.ts'
import { createImproveFault, type ImproveFault } from '../delivery/fault-error.ts'
import { withPermits } from '../delivery/permit-line.ts'
import { createRedactor, type Redactor } from '../delivery/redactor.ts'
import { SendLimiter } from '../delivery/send-limiter.ts'
import { withSharedRate } from '../delivery/shared-rate.ts'
import { noObserver, type Observer } from '../delivery/stage.ts'
import type { Transport } from '../delivery/transport.ts'
import type {
  ParsedApiDsn,
  ParsedCommandDsn,
  ParsedDsn,
  ParsedInboxDsn,
  ParsedListDsn,
  ParsedSmtpDsn,
} from '../dsn/parsed-dsn.ts'
import { DsnError } from '../grammar/dsn.ts'
import type { MailerContext } from '../mailer-context.ts'
import { findProvider } from '../providers/registry.ts'
import type { SessionContext } from '../smtp/session-context.ts'
import { SessionPool } from '../smtp/session-pool.ts'
import { openSmtpTransport } from '../smtp/smtp-transport.ts'
import { openCommandTransport } from './command-transport.ts'
import { openListTransport } from './list-transport.ts'
import { createInboxTransport, createNullTransport } from './local-transports.ts'

/**
 * Opens the transport of a parsed DSN.
 * @throws {DsnError} when the mailer's options forbid it.
 */
export function openTransport(dsn: ParsedDsn, context: MailerContext): Transport {
  const { openRate } = context
  if (openRate === undefined) return openMember(dsn, context)
  let count = 0
  const openNext = (maxPerSecond: number) => {
    count += 1
    return openRate(maxPerSecond, count)
  }
  return openMember(dsn, { ...context, openRate: openNext })
}

function openMember(dsn: ParsedDsn, context: MailerContext): Transport {
  switch (dsn.kind) {
    case 'smtp':
      return openSmtp(dsn, context)
    case 'api':
      return openApi(dsn, context)
    case 'null':
      return createNullTransport(dsn.label)
    case 'inbox':
      return openInbox(dsn, context)
    case 'command':
      return openCommand(dsn, context)
    case 'failover':
    case 'roundrobin':
      return openList(dsn, context)
  }
}

/** Creates the functions that mask secrets and add provider hints for one DSN. */
export function faultHandling({ secrets, provider }: ParsedSmtpDsn | ParsedApiDsn): {
  redact: Redactor
  improve: ImproveFault
} {
  const redact = createRedactor(secrets.map((secret) => secret.reveal()))
  const found = findProvider(provider ?? '')
  return { redact, improve: createImproveFault(redact, (fault) => found?.advise?.(fault)) }
}

/** Creates the context of a transport's SMTP sessions. */
export function sessionContext(
  { settings }: ParsedSmtpDsn,
  redact: Redactor,
  { connector, localDomain, timeouts }: MailerContext,
): SessionContext {
  return {
    settings,
    connector,
    timeouts,
    redact,
    localDomain: settings.localDomain ?? localDomain,
  }
}

function openSmtp(dsn: ParsedSmtpDsn, context: MailerContext): Transport {
  const { redact, improve } = faultHandling(dsn)
  const sessions = sessionContext(dsn, redact, context)
  const { maxPerSecond } = dsn.settings
  const transport = openSmtpTransport({
    ...sessions,
    label: dsn.label,
    improve,
    limiter: openLimiter(context, maxPerSecond),
    pool: new SessionPool({
      ...sessions,
      idleMs: context.timeouts.idleMs,
      connections: context.connections,
    }),
  })
  return shareRate(transport, maxPerSecond, context)
}

/** Lets processes share the rate limit, where the mailer's user asks for it. */
function shareRate(
  transport: Transport,
  maxPerSecond: number | null,
  { openRate }: MailerContext,
): Transport {
  if (maxPerSecond === null || openRate === undefined) return transport
  return withSharedRate(transport, openRate(maxPerSecond, 1))
}

/** Opens the transport of a provider's API. A test passes an observer. */
export function openApi(
  dsn: ParsedApiDsn,
  context: MailerContext,
  observer: Observer = noObserver,
): Transport {
  const { connector, clock, connectionsMax, timeouts } = context
  const transport = openApiTransport({
    ...faultHandling(dsn),
    adapter: dsn.adapter,
    label: dsn.label,
    title: findProvider(dsn.provider ?? '')?.title ?? dsn.label,
    client: openHttpsClient({
      connector,
      connectionsMax,
      timeoutMs: timeouts.requestMs,
      observer,
    }),
    clock,
    limiter: openLimiter(context, dsn.maxPerSecond),
  })
  const { connections } = context
  // A request counts as a connection.
  const limited = connections === undefined ? transport : withPermits(transport, connections)
  return shareRate(limited, dsn.maxPerSecond, context)
}

function openInbox({ label }: ParsedInboxDsn, { capture }: MailerContext): Transport {
  if (capture === undefined) throw new DsnError('forbidden', 'No inbox is configured.')
  return createInboxTransport(label, capture)
}

function openCommand({ label }: ParsedCommandDsn, context: MailerContext): Transport {
  const { command, timeouts } = context
  if (command === undefined) throw new DsnError('forbidden', 'No sendmail command is configured.')
  return openCommandTransport({
    command,
    label,
    limiter: openLimiter(context, null),
    timeoutMs: timeouts.dataMs,
  })
}

function openList(dsn: ParsedListDsn, context: MailerContext): Transport {
  const { kind, label, retryPeriodMs } = dsn
  const { clock, random } = context
  const members = dsn.members.map((member) => openMember(member, context))
  return openListTransport({ kind, members, retryPeriodMs, label, clock, random })
}

function openLimiter(
  { connectionsMax, clock, openRate }: MailerContext,
  maxPerSecond: number | null,
): SendLimiter {
  const ownRate = openRate === undefined ? maxPerSecond : null
  return new SendLimiter({ concurrencyMax: connectionsMax, maxPerSecond: ownRate, clock })
}
