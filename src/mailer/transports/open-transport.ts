import { openApiTransport } from '../api/api-transport.ts'
import { openListTransport } from '../composite/list-transport.ts'
import { createImproveFault, type ImproveFault } from '../delivery/improve-fault.ts'
import { noObserver, type Observer } from '../delivery/observer.ts'
import { createRedactor, type Redactor } from '../delivery/redactor.ts'
import type { Transport } from '../delivery/transport.ts'
import type {
  ParsedApiDsn,
  ParsedCommandDsn,
  ParsedDsn,
  ParsedInboxDsn,
  ParsedListDsn,
  ParsedSmtpDsn,
} from '../dsn/parsed-dsn.ts'
import { DsnError } from '../grammar/dsn-error.ts'
import { openHttpsClient } from '../http/https-client.ts'
import type { MailerContext } from '../mailer-context.ts'
import { findProvider } from '../providers/registry.ts'
import { Gate } from '../rate/gate.ts'
import type { SessionContext } from '../smtp/session-context.ts'
import { SessionPool } from '../smtp/session-pool.ts'
import { openSmtpTransport } from '../smtp/smtp-transport.ts'
import { openCommandTransport } from './command-transport.ts'
import { createInboxTransport } from './inbox-transport.ts'
import { createNullTransport } from './null-transport.ts'

/** Opens the transport of a parsed DSN. Throws DsnError for what only this mailer forbids. */
export function openTransport(dsn: ParsedDsn, context: MailerContext): Transport {
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

/** How secrets are blanked and faults explained for one DSN. */
export function explainers({ secrets, provider }: ParsedSmtpDsn | ParsedApiDsn): {
  redact: Redactor
  improve: ImproveFault
} {
  const redact = createRedactor(secrets.map((secret) => secret.reveal()))
  const found = findProvider(provider ?? '')
  return { redact, improve: createImproveFault(redact, (fault) => found?.advise?.(fault)) }
}

/** What the sessions of an SMTP server are opened with. */
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
  const { redact, improve } = explainers(dsn)
  const sessions = sessionContext(dsn, redact, context)
  return openSmtpTransport({
    ...sessions,
    label: dsn.label,
    improve,
    gate: openGate(context, dsn.settings.maxPerSecond),
    pool: new SessionPool({ ...sessions, idleMs: context.timeouts.idleMs }),
  })
}

/** Opens the transport of a provider's API; a test watches its connection. */
export function openApi(
  dsn: ParsedApiDsn,
  context: MailerContext,
  observer: Observer = noObserver,
): Transport {
  const { connector, clock, connectionsMax, timeouts } = context
  return openApiTransport({
    ...explainers(dsn),
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
    gate: openGate(context, dsn.maxPerSecond),
  })
}

function openInbox({ label }: ParsedInboxDsn, { capture }: MailerContext): Transport {
  if (capture === undefined) throw new DsnError('forbidden', 'There is no inbox here.')
  return createInboxTransport(label, capture)
}

function openCommand({ label }: ParsedCommandDsn, context: MailerContext): Transport {
  const { command, timeouts } = context
  if (command === undefined) throw new DsnError('forbidden', 'The operator has named no command.')
  return openCommandTransport({
    command,
    label,
    gate: openGate(context, null),
    timeoutMs: timeouts.dataMs,
  })
}

function openList(dsn: ParsedListDsn, context: MailerContext): Transport {
  const { kind, label, retryPeriodMs } = dsn
  const { clock, random } = context
  const members = dsn.members.map((member) => openTransport(member, context))
  return openListTransport({ kind, members, retryPeriodMs, label, clock, random })
}

function openGate({ connectionsMax, clock }: MailerContext, maxPerSecond: number | null): Gate {
  return new Gate({ placesMax: connectionsMax, maxPerSecond, clock })
}
