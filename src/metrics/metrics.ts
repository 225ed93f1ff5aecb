import type prom from 'prom-client'
import type { Deliveries } from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import { readVersion } from '../kit/read-version.ts'
import type { Limits } from '../limits/index.ts'
import type { Storage } from '../storage/index.ts'
import type { Transports } from '../transports/index.ts'
import { type AttemptMetrics, addAttemptMetrics } from './attempt-metrics.ts'
import { addDatabaseMetrics } from './database-metrics.ts'
import { addDeliveryMetrics } from './delivery-metrics.ts'
import { addLimitMetrics } from './limit-metrics.ts'
import { addProcessMetrics, Gauge, Registry } from './prom-client.ts'
import { addQueueMetrics, type QueueCounts } from './queue-metrics.ts'
import { createReading } from './reading.ts'
import { addRequestMetrics, type ObserveRequest } from './request-metrics.ts'

/** The series of one app, for Prometheus. */
export interface Metrics {
  readonly contentType: string
  observeAttempt: AttemptMetrics['observe']
  observeUnattempted: AttemptMetrics['observeUnattempted']
  observeNotificationLimited: AttemptMetrics['observeNotificationLimited']
  observeRequest: ObserveRequest
  /** Shows the open connections of an SMTP server. */
  watchSmtpServer: (server: { readonly connections: number }) => void
  /** Returns all series as text. */
  render(): Promise<string>
}

export interface MetricsOptions {
  clock: Clock
  storage: Storage
  /** Called at the first scrape, when the modules are open. */
  modules: () => {
    delivery: QueueCounts & { deliveries: Deliveries }
    transports: Transports
    limits: Limits
  }
}

/**
 * Creates the metrics of an app. What is read from other modules is added at the first scrape. An app that is not
 * scraped does not measure its event loop either.
 */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry()
  const attempts = addAttemptMetrics(registry, options.clock)
  const observeRequest = addRequestMetrics(registry)
  let smtpServer: { readonly connections: number } | undefined
  const countSmtpConnections = () => smtpServer?.connections ?? 0
  let reading: Promise<() => Promise<void>> | undefined
  return {
    contentType: registry.contentType,
    observeAttempt: attempts.observe,
    observeUnattempted: attempts.observeUnattempted,
    observeNotificationLimited: attempts.observeNotificationLimited,
    observeRequest,
    watchSmtpServer(server) {
      smtpServer = server
    },
    async render() {
      reading ??= addGauges(registry, { ...options, attempts, countSmtpConnections })
      const refresh = await reading
      await refresh()
      return registry.metrics()
    },
  }
}

/** Adds the gauges; returns a function that reads those of the database. */
async function addGauges(
  registry: prom.Registry,
  options: MetricsOptions & { attempts: AttemptMetrics; countSmtpConnections: () => number },
): Promise<() => Promise<void>> {
  const { clock, storage, attempts, modules, countSmtpConnections } = options
  await addProcessMetrics(registry)
  const registers = [registry]
  const info = { name: 'mailyard_info', help: 'The version of Mailyard', labelNames: ['version'] }
  new Gauge({ ...info, registers }).set({ version: readVersion() }, 1)
  new Gauge({
    name: 'mailyard_smtp_connections',
    help: 'The open connections of the SMTP server',
    registers,
    collect() {
      this.set(countSmtpConnections())
    },
  })
  const { delivery, transports, limits } = modules()
  const database = addDatabaseMetrics(registry, storage)
  const readDatabase = createReading([database], { clock, onLate: () => database.clear() })
  const parts = { clock, storage, delivery, deliveries: delivery.deliveries, transports, attempts }
  const groups = [
    addDeliveryMetrics(registry, parts),
    addQueueMetrics(registry, parts),
    addLimitMetrics(registry, limits),
  ]
  const readOthers = createReading(groups, { clock, keptFactor: 20 })
  return async () => {
    await Promise.all([readDatabase(), readOthers()])
  }
}
