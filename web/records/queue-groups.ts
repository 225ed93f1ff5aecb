import type { Schema } from '../lib/api.ts'
import { queueWords as texts } from '../words/queue.ts'
import type { QueueFilters } from './queue-filters.ts'

type Group = Schema<'QueueGroup'>

/** The groups of one transport, which have its lanes, and their sums. */
export interface TransportGroup extends Group {
  lanes: readonly Group[]
}

const states = ['queued', 'deferred', 'sending', 'held', 'uncertain'] as const

/** How many recipients a group has, in any state. */
export function countQueued(group: Group): number {
  return states.reduce((sum, state) => sum + group[state], 0)
}

/** What tells the groups of a transport from those of others. */
export function keyOfGroup({ transportId, transport }: Group): string {
  return `${transportId} ${transport}`
}

/** Sums up the groups of the queue by transport. */
export function byTransport(groups: readonly Group[]): TransportGroup[] {
  return [...Map.groupBy(groups, keyOfGroup).values()].flatMap((lanes) => {
    const [first] = lanes
    if (first === undefined) return []
    const sums = states.map((state) => [state, lanes.reduce((sum, lane) => sum + lane[state], 0)])
    const [oldest = null] = lanes.flatMap((lane) => lane.oldest ?? []).sort()
    return [{ ...first, ...Object.fromEntries(sums), oldest, lanes }]
  })
}

/** The name of the transport of a group of the queue. */
export function nameOfGroup({ transportId, transport }: Group): string {
  if (transportId !== null) return transport ?? texts.transportNumber(transportId)
  return transport === null ? texts.noTransport : texts.default
}

/** What finds the messages of the transport of a group. */
export function filterOfGroup({ transportId, transport }: Group): QueueFilters {
  if (transportId !== null) return { transportId: String(transportId) }
  return { transport: transport === null ? 'none' : 'default' }
}
