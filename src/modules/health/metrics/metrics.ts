import type { Deliveries } from '../../../core/deliveries/index.ts'
import type { SendingHooks } from '../../../core/sending/index.ts'
import type { Transports } from '../../../core/transports/index.ts'
import type { Clock } from '../../../kit/clock.ts'
import { readVersion } from '../../../kit/read-version.ts'
import type { SmtpEndpoint } from '../../../platform/config/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { type AttemptMetrics, addAttemptMetrics } from './attempt-metrics.ts'
import { addDatabaseMetrics } from './database-metrics.ts'
import { addDeliveryMetrics } from './delivery-metrics.ts'
import { addLimitMetrics } from './limit-metrics.ts'
import { addProcessMetrics, Gauge, Registry } from './prom-client.ts'
import { addQueueMetrics, type QueueCounts } from './queue-metrics.ts'
import { createReading } from './reading.ts'
import { addRequestMetrics, type ObserveRequest } from './request-metrics.ts'

export interface MetricsOptions {
  clock: Clock
  storage: Storage
  hooks: SendingHooks
  smtp: Pick<SmtpEndpoint, 'connections'>
  delivery: QueueCounts & { deliveries: Deliveries }
  transports: Transports
}

/**
 * The series of one app, for Prometheus. What is read from other modules is added at the first scrape. An app that is not
 * scraped does not measure its event loop either.
 */
export class Metrics {
  readonly observeRequest: ObserveRequest
  readonly #options: MetricsOptions
  readonly #registry = new Registry()
  readonly #attempts: AttemptMetrics
  #reading: Promise<() => Promise<void>> | undefined

  constructor(options: MetricsOptions) {
    this.#options = options
    this.#attempts = addAttemptMetrics(this.#registry, options.clock)
    const { hooks } = options
    hooks.attempted.add(this.#attempts.observe)
    hooks.unattempted.add(this.#attempts.observeUnattempted)
    hooks.reported.add(this.#attempts.observeEvents)
    hooks.notificationLimited.add(this.#attempts.observeNotificationLimited)
    hooks.unsigned.add(({ cause }) => this.#attempts.observeUnsigned(cause))
    this.observeRequest = addRequestMetrics(this.#registry)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Returns all series as text. */
  async render(): Promise<string> {
    this.#reading ??= this.#addGauges()
    const refresh = await this.#reading
    await refresh()
    return this.#registry.metrics()
  }

  /** Adds the gauges; returns a function that reads those of the database. */
  async #addGauges(): Promise<() => Promise<void>> {
    const registry = this.#registry
    const { clock, storage, smtp, delivery, transports } = this.#options
    await addProcessMetrics(registry)
    const registers = [registry]
    const info = { name: 'mailyard_info', help: 'The version of Mailyard', labelNames: ['version'] }
    new Gauge({ ...info, registers }).set({ version: readVersion() }, 1)
    new Gauge({
      name: 'mailyard_smtp_connections',
      help: 'The open connections of the SMTP server',
      registers,
      collect() {
        this.set(smtp.connections)
      },
    })
    const database = addDatabaseMetrics(registry, storage)
    const readDatabase = createReading([database], { clock, onLate: () => database.clear() })
    const groups = [
      addDeliveryMetrics(registry, {
        storage,
        deliveries: delivery.deliveries,
        transports,
        attempts: this.#attempts,
      }),
      addQueueMetrics(registry, { clock, delivery, transports }),
      addLimitMetrics(registry, storage),
    ]
    const readOthers = createReading(groups, { clock, keptFactor: 20 })
    return async () => {
      await Promise.all([readDatabase(), readOthers()])
    }
  }
}
