import type { Registry } from 'prom-client'
import { startStopwatch } from '../../../kit/clock.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { Gauge } from './prom-client.ts'
import type { Gauges } from './reading.ts'

/** Adds whether the database answers, how fast, and the connections of its pool. */
export function addDatabaseMetrics(
  registry: Registry,
  storage: Pick<Storage, 'ping' | 'connections'>,
): Gauges {
  const registers = [registry]
  const up = new Gauge({
    name: 'mailyard_database_up',
    help: 'Whether the database answered within two seconds',
    registers,
  })
  const latency = new Gauge({
    name: 'mailyard_database_latency_seconds',
    help: 'How long the database took for the smallest query',
    registers,
  })
  new Gauge({
    name: 'mailyard_database_connections',
    help: 'The connections of this process to PostgreSQL, and the queries that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      const { active, idle, waiting } = storage.connections() ?? {}
      if (active === undefined || idle === undefined || waiting === undefined) return
      this.set({ state: 'active' }, active)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  return {
    async read() {
      const tookMs = startStopwatch()
      await storage.ping()
      const seconds = tookMs() / 1_000
      return () => {
        up.set(1)
        latency.set(seconds)
      }
    },
    clear() {
      up.set(0)
      latency.remove()
    },
  }
}
