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
export function keyOfGroup({ transportId, transport, state }: Group): string {
  return `${transportId} ${transport} ${state === 'unanswered'}`
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
export function nameOfGroup(group: Group): string {
  const { transportId, transport } = group
  if (transportId !== null) return transport ?? texts.transportNumber(transportId)
  return texts.noTransports[wordOf(group)]
}

/** What finds the messages of the transport of a group. */
export function filterOfGroup(group: Group): QueueFilters {
  const { transportId } = group
  return transportId === null ? { transport: wordOf(group) } : { transportId: String(transportId) }
}

/** The word of the filter for a group that has no transport. */
function wordOf({ transport, state }: Group): keyof typeof texts.noTransports {
  if (transport !== null) return 'default'
  return state === 'unanswered' ? 'unanswered' : 'none'
}
