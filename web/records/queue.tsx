import { Badge } from '../design/feedback.tsx'
import type { IconName } from '../design/icon.tsx'
import { Period, Time } from '../design/time.tsx'
import { type Options, type Schema, withQuery } from '../lib/api.ts'
import type { Tone } from '../lib/toasts.ts'
import { words } from '../words/common.ts'
import { queueWords as texts } from '../words/queue.ts'

type QueueGroup = Schema<'QueueGroup'>
type ShownState = Schema<'QueuedMessage'>['state']

const states: Record<ShownState, { tone: Tone; icon: IconName }> = {
  queued: { tone: 'neutral', icon: 'queue' },
  deferred: { tone: 'wait', icon: 'deferred' },
  sending: { tone: 'wait', icon: 'started' },
  held: { tone: 'warn', icon: 'held' },
  uncertain: { tone: 'warn', icon: 'uncertain' },
}

/** Why the messages of a transport wait: the limit that is reached, or its last failure. */
export function WhyWaiting({ group: { limit, availableAt, problem } }: { group: QueueGroup }) {
  if (limit !== null)
    return (
      <p class="small">
        {texts.waitsFor} <a href={`/limits/${limit.id}`}>{limit.name}</a>{' '}
        <Period until={availableAt} />
      </p>
    )
  if (problem === null) return null
  return (
    <p class="small fault-text clamp" title={problem}>
      {problem}
    </p>
  )
}

/** When a message is tried next. */
export function NextAttempt({ message }: { message: Schema<'QueuedMessage'> }) {
  if (message.isUnanswered) return texts.onceAnswered
  return <Time iso={message.nextAttempt} past={words.now} />
}

/** The state of a recipient in the queue. */
export function QueueStateBadge({ state }: { state: ShownState }) {
  return (
    <Badge {...states[state]} title={texts.stateHelp[state]}>
      {texts.states[state]}
    </Badge>
  )
}

/** The groups of one transport, which have its lanes, and their sums. */
export interface TransportGroup extends QueueGroup {
  lanes: readonly QueueGroup[]
}

const stateNames = Object.keys(states) as ShownState[]

/** How many recipients a group has, in any state. */
export function countQueued(group: QueueGroup): number {
  return stateNames.reduce((sum, state) => sum + group[state], 0)
}

/** What tells the groups of a transport from those of others. */
export function keyOfGroup({ transportId, transport, state }: QueueGroup): string {
  return `${transportId} ${transport} ${state === 'unanswered'}`
}

/** Sums up the groups of the queue by transport. */
export function byTransport(groups: readonly QueueGroup[]): TransportGroup[] {
  return [...Map.groupBy(groups, keyOfGroup).values()].flatMap((lanes) => {
    const [first] = lanes
    if (first === undefined) return []
    const sums = stateNames.map((state) => [
      state,
      lanes.reduce((sum, lane) => sum + lane[state], 0),
    ])
    const [oldest = null] = lanes.flatMap((lane) => lane.oldest ?? []).sort()
    return [{ ...first, ...Object.fromEntries(sums), oldest, lanes }]
  })
}

/** The name of the transport of a group of the queue. */
export function nameOfGroup(group: QueueGroup): string {
  const { transportId, transport } = group
  if (transportId !== null) return transport ?? words.transportNumber(transportId)
  return texts.noTransports[wordOf(group)]
}

/** What finds the messages of the transport of a group. */
export function filterOfGroup(group: QueueGroup): QueueFilters {
  const { transportId } = group
  return transportId === null ? { transport: wordOf(group) } : { transportId: String(transportId) }
}

/** The word of the filter for a group that has no transport. */
function wordOf({ transport, state }: QueueGroup): keyof typeof texts.noTransports {
  if (transport !== null) return 'default'
  return state === 'unanswered' ? 'unanswered' : 'none'
}

/** The filters of the list, as they are in the address. */
export type QueueFilters = Partial<
  Record<keyof NonNullable<Options<'GET', '/api/queue/messages'>['query']>, string>
>

/** The address of the list with these filters. */
export function queueHref(filters: QueueFilters): string {
  return withQuery('/queue', filters)
}

/** Whether the filters choose all messages of one transport, also those that arrive later. */
export function isWholeTransport({ transportId, transport, ...others }: QueueFilters): boolean {
  const isTransport = Boolean(transportId) || transport === 'default'
  return isTransport && Object.values(others).every((value) => !value)
}
