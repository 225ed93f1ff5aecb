import { openApiTransport } from '../api/api-transport.ts'
import { noObserver, type Observer } from '../delivery/observer.ts'
import { createRedactor } from '../delivery/redactor.ts'
import type { Transport } from '../delivery/transport.ts'
import type { ParsedApiDsn, ParsedDsn, ParsedSmtpDsn } from '../dsn/parsed-dsn.ts'
import { openHttpsClient } from '../http/https-client.ts'
import type { MailerContext } from '../mailer-context.ts'
import { findProvider } from '../providers/registry.ts'
import { Gate } from '../rate/gate.ts'
import type { SessionContext } from '../smtp/session-context.ts'
import { SessionPool } from '../smtp/session-pool.ts'
import { openSmtpTransport } from '../smtp/smtp-transport.ts'
import { createNullTransport } from './null-transport.ts'

/** Opens the transport of a parsed DSN. */
export function openTransport(dsn: ParsedDsn, context: MailerContext): Transport {
  switch (dsn.kind) {
    case 'smtp':
      return openSmtp(dsn, context)
    case 'api':
      return openApi(dsn, context)
    case 'null':
      return createNullTransport(dsn.label)
    case 'command':
    case 'failover':
    case 'roundrobin':
      throw new Error(`No transport for ${dsn.kind} yet.`)
  }
}

/** What the sessions of an SMTP server are opened with. */
export function sessionContext(
  { settings, secrets }: ParsedSmtpDsn,
  { connector, localDomain, timeouts }: MailerContext,
): SessionContext {
  return {
    settings,
    connector,
    timeouts,
    localDomain: settings.localDomain ?? localDomain,
    redact: createRedactor(secrets.map((secret) => secret.reveal())),
  }
}

function openSmtp(dsn: ParsedSmtpDsn, context: MailerContext): Transport {
  const { clock, connectionsMax, timeouts } = context
  const sessions = sessionContext(dsn, context)
  return openSmtpTransport({
    ...sessions,
    label: dsn.label,
    gate: new Gate({
      placesMax: connectionsMax,
      maxPerSecond: dsn.settings.maxPerSecond,
      clock,
    }),
    pool: new SessionPool({ ...sessions, idleMs: timeouts.idleMs }),
  })
}

/** Opens the transport of a provider's API; a test watches its connection. */
export function openApi(
  { adapter, label, provider, maxPerSecond, secrets }: ParsedApiDsn,
  { connector, clock, connectionsMax, timeouts }: MailerContext,
  observer: Observer = noObserver,
): Transport {
  return openApiTransport({
    adapter,
    label,
    title: findProvider(provider ?? '')?.title ?? label,
    client: openHttpsClient({
      connector,
      connectionsMax,
      timeoutMs: timeouts.requestMs,
      observer,
    }),
    clock,
    gate: new Gate({ placesMax: connectionsMax, maxPerSecond, clock }),
    redact: createRedactor(secrets.map((secret) => secret.reveal())),
  })
}
