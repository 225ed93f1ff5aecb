import type { Registry } from 'prom-client'
import { defaultTransport, noTransport, unansweredTransport } from '../../../core/delivery/index.ts'
import type { QueueGroup } from '../../../core/queue/index.ts'
import type { Transports } from '../../../core/transports/index.ts'
import type { Clock } from '../../../kit/clock.ts'
import { Gauge } from './prom-client.ts'
import type { Gauges } from './reading.ts'

/** Transports with labels of their own; the others share the label `other`. */
const labelsMax = 500
/** The values of `transport_id` that are no transport. */
const fixedLabels = new Map([
  [noTransport, 'unrouted'],
  [unansweredTransport, 'unanswered'],
  [defaultTransport, 'default'],
])

/** What waits in the queue. */
export interface QueueCounts {
  countQueue(): Promise<QueueGroup[]>
  /** Returns when the oldest recipient that waits to be sent was added; undefined if there is none. */
  findOldestQueued(): Promise<number | undefined>
}

export interface QueueMetricsOptions {
  clock: Clock
  delivery: QueueCounts
  transports: Pick<Transports, 'findRow'>
}

/** Adds the number of recipients in the queue and the age of the oldest. A series that was there once stays, with 0. */
export function addQueueMetrics(registry: Registry, options: QueueMetricsOptions): Gauges {
  const { clock, delivery } = options
  const registers = [registry]
  const messages = new Gauge({
    name: 'mailyard_queue_messages',
    help: 'Messages in the queue, one for each recipient',
    labelNames: ['transport', 'lane', 'state'],
    registers,
  })
  const oldest = new Gauge({
    name: 'mailyard_queue_oldest_seconds',
    help: 'How long the oldest message that waits to be sent has been in the queue',
    registers,
  })
  let known = new Map<string, Labels>()
  return {
    async read() {
      const counted = await withLabels(await delivery.countQueue(), options)
      const oldestAt = await delivery.findOldestQueued()
      return () => {
        // Those that were renamed or deleted are forgotten now and then.
        if (known.size > 2 * counted.length + labelsMax) known = new Map()
        messages.reset()
        for (const labels of known.values()) messages.set(labels, 0)
        for (const { labels, count } of counted) {
          known.set(JSON.stringify(labels), labels)
          messages.inc(labels, count)
        }
        const ageMs = oldestAt === undefined ? 0 : clock.now() - oldestAt
        oldest.set(Math.max(0, ageMs) / 1_000)
      }
    },
    clear() {
      messages.reset()
      oldest.remove()
    },
  }
}

type Labels = Record<'transport' | 'lane' | 'state', string>

async function withLabels(
  groups: readonly QueueGroup[],
  { transports }: QueueMetricsOptions,
): Promise<{ labels: Labels; count: number }[]> {
  const names = new Map(fixedLabels)
  for (const { transportId: id } of groups) {
    if (names.has(id) || names.size >= labelsMax) continue
    const row = await transports.findRow(id)
    names.set(id, `${row?.name ?? 'deleted'} (${id})`)
  }
  return groups.flatMap(({ transportId, lane, counts }) => {
    const transport = names.get(transportId) ?? 'other'
    return Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => ({ labels: { transport, lane, state }, count }))
  })
}
