import { Badge, Empty, HelpLink, type Tone } from '../../design/feedback.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { type Schema, withQuery } from '../../lib/api.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { words } from '../../words.ts'
import { nameOf } from './group-name.ts'

type Queue = Schema<'Queue'>
type Group = Schema<'QueueGroup'>
type TransportState = keyof typeof texts.transportStates

const { labels } = texts
const states = ['queued', 'deferred', 'sending', 'held', 'uncertain'] as const
const tones: Record<TransportState, Tone> = {
  available: 'good',
  unavailable: 'bad',
  unpublished: 'neutral',
  deleted: 'neutral',
}

const columns: readonly Column<Group>[] = [
  {
    label: labels.transport,
    show: (group) => <a href={withQuery('/queue', filterOf(group))}>{nameOf(group)}</a>,
  },
  { label: labels.lane, show: ({ lane }) => <span class="nowrap">{texts.lanes[lane]}</span> },
  ...states.map((state) => ({
    label: texts.states[state],
    isNumber: true,
    show: (group: Group) => formatNumber(group[state]),
  })),
  { label: labels.oldest, show: ({ oldest }) => <Time iso={oldest} /> },
  { label: labels.state, show: (group) => <TransportState group={group} /> },
]

/** The numbers of the queue, by transport and lane. */
export function QueueTotals({ queue }: { queue: Queue }) {
  if (queue.groups.length === 0)
    return (
      <Empty>
        <p>{texts.empty}</p>
        <HelpLink page="a-provider-is-down">{texts.task}</HelpLink>
      </Empty>
    )
  return (
    <section class="stack" aria-label={texts.totals}>
      <Table
        caption={texts.totals}
        rows={queue.groups}
        columns={columns}
        keyOf={({ transportId, transport, lane }) => `${transportId} ${transport} ${lane}`}
      />
      <p class="quiet small">
        {labels.size}: {texts.size(formatBytes(queue.bytes), formatBytes(queue.bytesMax))}
      </p>
      {queue.groups.some(({ state }) => state === 'unavailable') && (
        <p>
          <HelpLink page="a-provider-is-down">{texts.task}</HelpLink>
        </p>
      )}
    </section>
  )
}

function filterOf({ transportId, transport, lane }: Group) {
  if (transportId !== null) return { transportId: String(transportId), lane }
  return { transport: transport === null ? 'none' : 'default', lane }
}

function TransportState({ group: { state, problem, availableAt } }: { group: Group }) {
  if (state === null) return words.none
  return (
    <>
      <Badge tone={tones[state]}>{texts.transportStates[state]}</Badge>
      {problem !== null && <p class="small clamp">{problem}</p>}
      {availableAt !== null && (
        <p class="quiet small">
          {labels.nextAttempt} <Time iso={availableAt} />
        </p>
      )}
    </>
  )
}
