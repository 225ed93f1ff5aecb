import type { Registry } from 'prom-client'
import { listRemaining } from '../../../core/limits/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { findBrands } from '../conditions.ts'
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
      const ids = all.map(({ limit }) => limit.id)
      const brands = await findBrands(storage, 'limits', ids)
      return () => {
        remaining.reset()
        for (const { limit, window, left } of all) {
          const brand = brands.get(limit.id)
          const ofBrand = brand === undefined ? {} : { brand: String(brand) }
          remaining.set({ limit: `${limit.name} (${limit.id})`, window, ...ofBrand }, left)
        }
      }
    },
    clear: () => remaining.reset(),
  }
}
