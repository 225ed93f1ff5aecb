import type { Core } from '../../core/core.ts'
import type { Module } from '../../core/module.ts'
import { idleAll } from '../../kit/worker.ts'
import { accountsOf } from '../../libraries/mailer/index.ts'
import { type Callers, type HttpApp, OutboundFetch } from '../../platform/http/index.ts'
import { EventApplier } from './events/event-applier.ts'
import { EventEffects } from './events/event-effects.ts'
import { ReceivedEvents } from './events/received-events.ts'
import { TransportAccounts } from './events/transport-accounts.ts'
import { examineEvents } from './examine-events.ts'
import { ReportReceiver } from './mail/report-receiver.ts'
import { addReportRoute } from './mail/routes.ts'
import { EventReceiver } from './webhooks/event-receiver.ts'
import { describeWebhooks } from './webhooks/list-webhooks.ts'
import { addReceiveRoute } from './webhooks/receive-route.ts'
import { addTransportWebhookRoutes } from './webhooks/routes.ts'
import { TransportWebhookCounts } from './webhooks/transport-webhook-counts.ts'
import { createWebhookPruner, TransportWebhookStore } from './webhooks/transport-webhook-store.ts'
import { TransportWebhooks } from './webhooks/transport-webhooks.ts'

const megabyte = 1_048_576

/** What providers and servers report of messages that they have accepted: deliveries, bounces and complaints, for example. */
export class EventsModule implements Module {
  readonly store: TransportWebhookStore
  readonly counts: TransportWebhookCounts
  /** Receives what comes back by mail. */
  readonly reports: ReportReceiver
  readonly #core: Core
  readonly #received: ReceivedEvents
  readonly #applier: EventApplier
  readonly #client: OutboundFetch
  readonly #workers

  constructor(core: Core) {
    const { storage, keyring, clock, log, intervals, transports, suppressions, mautics } = core
    const { defaultDsn, published: publisher } = core
    const { suppressBounces } = core.config
    this.#core = core
    this.store = new TransportWebhookStore({ storage, keyring, clock })
    this.counts = new TransportWebhookCounts({ storage, log })
    this.#received = new ReceivedEvents(storage, clock)
    this.reports = new ReportReceiver({ receivedEvents: this.#received, clock })
    this.#client = new OutboundFetch({ rules: core.rules })
    this.#applier = new EventApplier({
      storage,
      clock,
      log,
      idleMs: intervals.idleMs,
      accounts: new TransportAccounts({ transports, accountsOf, defaultDsn, log }),
      effects: new EventEffects({ suppressions, mautics, suppressBounces, publisher }),
      deliveries: core.delivery.deliveries,
      hooks: core.hooks,
      onUnknown: ({ transportId, provider, count }) => {
        if (transportId !== null) this.counts.add({ transportId, provider }, { unknown: count })
      },
    })
    const pruning = createWebhookPruner({ store: this.store, received: this.#received, log })
    this.#workers = [this.#applier, pruning, this.counts] as const
    transports.dependents.add('webhooks', {
      release: async (id, tx) => ({ consequence: await describeWebhooks(id, tx) }),
    })
  }

  addRoutes(server: HttpApp, callers: Callers): void {
    const { storage, work, clock, transports, publicUrl: localUrl, config } = this.#core
    const { store, counts } = this
    const { publicUrl } = config
    const webhooks = new TransportWebhooks({ store, counts, transports, publicUrl, localUrl })
    const receiver = new EventReceiver({
      storage,
      store,
      counts,
      received: this.#received,
      work,
      clock,
      publicUrl: localUrl,
      fetch: this.#core.providerFetch ?? this.#client.fetch,
    })
    addTransportWebhookRoutes(server, { webhooks, callers })
    addReceiveRoute(server, receiver)
    const messageBytesMax = config.smtpMessageSizeMegabytesMax * megabyte
    addReportRoute(server, { receiver: this.reports, callers, messageBytesMax })
  }

  started(): void {
    for (const each of this.#workers) each.start()
  }

  drain(): Promise<void> {
    return this.#applier.stop()
  }

  idle(): Promise<boolean> {
    return idleAll(this.#workers)
  }

  async stop(): Promise<void> {
    for (const each of this.#workers) await each.stop()
    await this.reports.stop()
    await this.#client.close()
  }

  examine(now: number) {
    return examineEvents(this.#core, now)
  }

  reseal(): Promise<string[]> {
    return this.store.reseal()
  }
}
