import type { Registry } from 'prom-client'
import { listRemaining } from '../../../core/limits/index.ts'
import { noBrand } from '../../../kit/caller.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { Gauge } from './prom-client.ts'
import type { Gauges } from './reading.ts'

/** The most limits that are read and shown. */
const limitsMax = 200

/** Adds what is left of each window of the published limits. */
export function addLimitMetrics(registry: Registry, storage: Storage): Gauges {
  const remaining = new Gauge({
    name: 'mailyard_limit_remaining',
    help: 'Messages that a limit still allows in its current window, for all processes together',
    labelNames: ['limit', 'window', 'brand'],
    registers: [registry],
  })
  return {
    async read() {
      const all = await listRemaining(storage, limitsMax)
      return () => {
        remaining.reset()
        for (const { limit, window, left } of all) {
          const { id, name, brand } = limit
          const ofBrand = brand === noBrand ? {} : { brand: String(brand) }
          remaining.set({ limit: `${name} (${id})`, window, ...ofBrand }, left)
        }
      }
    },
    clear: () => remaining.reset(),
  }
}
