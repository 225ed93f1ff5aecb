import { ask } from '../lib/api.ts'
import type { Filters } from './delivery-filters.ts'
import type { Delivery } from './use-deliveries.ts'

/** How many of the newest are grouped. */
const groupedMax = 100

/** Refusals with the same sentence through the same transport. */
export interface Refusals {
  reason: string
  latest: Delivery
  count: number
}

/** Reads the latest refusals that match, grouped by reason. */
export async function readRefusals(filters: Filters, signal: AbortSignal): Promise<Refusals[]> {
  const query = { ...filters, outcome: 'refused', limit: groupedMax }
  return groupFaults((await ask('GET', '/api/deliveries', { query, signal })).body.deliveries)
}

/** Groups deliveries, the newest first, by transport and sentence: addresses and numbers in it do not count. */
function groupFaults(deliveries: readonly Delivery[]): Refusals[] {
  const groups = new Map<string, Refusals>()
  for (const latest of deliveries) {
    const reason = latest.reason ?? latest.reply ?? ''
    // By words, so that a long one without an address is read once.
    const same = reason.replace(/\S+/g, (word) =>
      word.includes('@') ? '…' : word.replace(/\d{4,}|[\da-f]{8,}/gi, '…'),
    )
    const key = `${latest.transportId} ${same}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { reason, latest, count: 1 })
    else group.count += 1
  }
  return [...groups.values()]
}
