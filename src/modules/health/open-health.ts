import type { Core } from '../../core/core.ts'
import type { Module } from '../../core/module.ts'
import type { Callers, HttpApp } from '../../platform/http/index.ts'
import { inspectMigrations } from '../../platform/storage/index.ts'
import { ConditionWatcher } from './condition-watcher.ts'
import { coreConditions } from './conditions.ts'
import { Health } from './health.ts'
import { Metrics } from './metrics/metrics.ts'
import { addMetricsRoute } from './metrics/routes.ts'
import { addFindingRoute } from './routes.ts'

/** Conditions are looked for after this many `idleMs`. */
const conditionFactor = 5
const noReading = { warnings: [], settings: [] }

/** Examines what runs, counts what happens, and publishes what begins. */
export class HealthModule implements Module {
  readonly #core: Core
  readonly #health: Health
  readonly #metrics: Metrics
  readonly #watcher: ConditionWatcher

  /** @param modules Those that are examined too. */
  constructor(core: Core, modules: readonly Module[]) {
    const { config, clock, storage, keyring, log, hooks, smtp, delivery, transports } = core
    const kinds = [...coreConditions, ...modules.flatMap(({ conditions = [] }) => conditions)]
    this.#core = core
    this.#health = new Health({
      config,
      clock,
      storage,
      keyring,
      delivery,
      references: core.references,
      kinds,
      async examineOthers(now) {
        const found = []
        for (const each of modules) found.push(...((await each.examine?.(now)) ?? []))
        return found
      },
      reading: core.reading ?? noReading,
      inspectMigrations: () => inspectMigrations(storage, core.migrations),
    })
    this.#metrics = new Metrics({ clock, storage, hooks, smtp, delivery, transports })
    core.answered.add(this.#metrics.observeRequest)
    this.#watcher = new ConditionWatcher({
      storage,
      clock,
      log,
      kinds,
      events: core.published,
      listTransports: delivery.listTransports,
      intervalMs: core.intervals.idleMs * conditionFactor,
    })
  }

  addRoutes(server: HttpApp, callers: Callers): void {
    const metrics = this.#metrics
    addFindingRoute(server, this.#health, callers)
    addMetricsRoute(server, { metrics, isPublished: this.#core.config.publicUrl !== undefined })
  }

  started(): void {
    this.#watcher.looking.start()
  }

  idle(): Promise<boolean> {
    return this.#watcher.looking.idle()
  }

  stop(): Promise<void> {
    return this.#watcher.looking.stop()
  }
}
