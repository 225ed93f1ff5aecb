import type { Core } from '../../core/core.ts'
import type { Module } from '../../core/module.ts'
import { type Callers, type HttpApp, OutboundFetch } from '../../platform/http/index.ts'
import { EventPublisher } from './event-publisher.ts'
import { addWebhookRoutes } from './routes.ts'
import { webhookConditions } from './webhook-conditions.ts'
import { Webhooks } from './webhooks.ts'

/** How long the receiver of a webhook may take to answer. */
const answerMs = 15_000

/** Tells other systems what is published. */
export class WebhooksModule implements Module {
  readonly conditions = webhookConditions
  readonly publisher: EventPublisher
  readonly webhooks: Webhooks
  readonly #client: OutboundFetch

  constructor(core: Core) {
    const { storage, keyring, clock, log, auth, config, rules, published } = core
    this.publisher = new EventPublisher({ storage, clock, log })
    // The status of their receivers counts, whatever page follows it.
    this.#client = new OutboundFetch({ rules, timeoutMs: answerMs, isCutAccepted: true })
    this.webhooks = new Webhooks({
      storage,
      keyring,
      installation: core.installation,
      clock,
      log,
      publisher: this.publisher,
      send: this.#client.fetch,
      findStamped: auth.findStamped,
      publicUrl: config.publicUrl,
      idleMs: core.outboxIdleMs,
    })
    published.add(this.publisher)
  }

  addRoutes(server: HttpApp, callers: Callers): void {
    addWebhookRoutes(server, { webhooks: this.webhooks, callers })
  }

  start(): Promise<void> {
    return this.webhooks.start()
  }

  idle(): Promise<boolean> {
    return this.webhooks.idle()
  }

  async stop(): Promise<void> {
    await this.webhooks.stop()
    await this.#client.close()
  }

  reseal(): Promise<string[]> {
    return this.webhooks.reseal()
  }
}
