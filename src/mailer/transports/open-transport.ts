import { openApiTransport } from '../api/api-transport.ts'
import type { Observer } from '../delivery/observer.ts'
import { createRedactor } from '../delivery/redactor.ts'
import type { Transport } from '../delivery/transport.ts'
import type { ParsedApiDsn, ParsedDsn } from '../dsn/parsed-dsn.ts'
import { openHttpsClient } from '../http/https-client.ts'
import type { MailerContext } from '../mailer-context.ts'
import { findProvider } from '../providers/registry.ts'
import { Gate } from '../rate/gate.ts'
import { createNullTransport } from './null-transport.ts'

/** Opens the transport of a parsed DSN. A test gives an observer. */
export function openTransport(
  dsn: ParsedDsn,
  context: MailerContext,
  observer?: Observer,
): Transport {
  switch (dsn.kind) {
    case 'api':
      return openApi(dsn, context, observer)
    case 'null':
      return createNullTransport(dsn.label)
    case 'smtp':
    case 'command':
    case 'failover':
    case 'roundrobin':
      throw new Error(`No transport for ${dsn.kind} yet.`)
  }
}

function openApi(
  { adapter, label, provider, maxPerSecond, secrets }: ParsedApiDsn,
  { connector, clock, connectionsMax, timeouts }: MailerContext,
  observer?: Observer,
): Transport {
  return openApiTransport({
    adapter,
    label,
    title: findProvider(provider ?? '')?.title ?? label,
    client: openHttpsClient({
      connector,
      connectionsMax,
      timeoutMs: timeouts.requestMs,
      ...(observer === undefined ? {} : { observer }),
    }),
    clock,
    gate: new Gate({ placesMax: connectionsMax, maxPerSecond, clock }),
    redact: createRedactor(secrets.map((secret) => secret.reveal())),
  })
}
