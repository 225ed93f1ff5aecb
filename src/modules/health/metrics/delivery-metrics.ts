import type { Registry } from 'prom-client'
import type { Deliveries } from '../../../core/deliveries/index.ts'
import { readBraked } from '../../../core/queue/index.ts'
import type { Transports } from '../../../core/transports/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { AttemptMetrics } from './attempt-metrics.ts'
import { Gauge } from './prom-client.ts'
import type { Gauges } from './reading.ts'

/** More uncertain deliveries are shown as this number. */
const uncertainMax = 10_000
/** How many unavailable transports are looked up for each reading. */
const lookUpsMax = 50

export interface DeliveryMetricsOptions {
  storage: Storage
  attempts: Pick<AttemptMetrics, 'listUnavailable' | 'forgetState'>
  deliveries: Pick<Deliveries, 'countUncertain'>
  transports: Pick<Transports, 'findRow'>
}

/** Adds how many deliveries are uncertain and what brakes hold, and removes the state of transports that were changed since they failed. */
export function addDeliveryMetrics(registry: Registry, options: DeliveryMetricsOptions): Gauges {
  const { storage, attempts, deliveries, transports } = options
  const uncertain = new Gauge({
    name: 'mailyard_uncertain',
    help: `Deliveries whose outcome is unknown and that wait for a decision, at most ${uncertainMax}`,
    registers: [registry],
  })
  const brakes = new Gauge({
    name: 'mailyard_brakes',
    help: 'Groups of bulk messages that their brakes hold',
    registers: [registry],
  })
  const findChanged = async () => {
    const changed: number[] = []
    for (const { transportId, since } of attempts.listUnavailable().slice(0, lookUpsMax)) {
      const row = await transports.findRow(transportId)
      const changedAt = row?.date_modified ?? row?.date_added ?? 0
      if (row === undefined || !row.is_published || changedAt > since) changed.push(transportId)
    }
    return changed
  }
  return {
    async read() {
      const count = await deliveries.countUncertain(uncertainMax)
      const braked = await readBraked(storage)
      const changed = await findChanged()
      return () => {
        uncertain.set(count)
        brakes.set(braked.length)
        for (const transportId of changed) attempts.forgetState(transportId)
      }
    },
    clear() {
      uncertain.remove()
      brakes.remove()
    },
  }
}
