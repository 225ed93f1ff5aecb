import { Badge, Empty, HelpLink } from '../../design/feedback.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import type { Schema } from '../../lib/api.ts'
import type { Tone } from '../../lib/toasts.ts'
import { type QueueFilters, queueHref } from '../../records/queue-filters.ts'
import { words } from '../../words/common.ts'
import { formatBytes, formatNumber } from '../../words/format.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { nameOf } from './group-name.ts'

type Queue = Schema<'Queue'>
type Group = Schema<'QueueGroup'>
type TransportState = keyof typeof texts.transportStates

const { labels } = texts
/** In all tables; those of the others that have recipients are added. */
const usual = ['queued', 'deferred', 'sending'] as const
const others = ['paused', 'held', 'uncertain'] as const
const tones: Record<TransportState, Tone> = {
  available: 'good',
  unavailable: 'bad',
  held: 'warn',
  unpublished: 'neutral',
  deleted: 'neutral',
}

const columnsOf = (groups: readonly Group[]): readonly Column<Group>[] => [
  {
    label: labels.transport,
    show: (group) => <a href={queueHref(filterOf(group))}>{nameOf(group)}</a>,
  },
  {
    label: labels.lane,
    show: ({ lane, ...group }) =>
      lane === null ? (
        words.none
      ) : (
        <a class="nowrap" href={queueHref({ ...filterOf(group), lane })}>
          {texts.lanes[lane]}
        </a>
      ),
  },
  ...[...usual, ...others.filter((state) => groups.some((group) => group[state] > 0))].map(
    (state) => ({
      label: texts.states[state],
      isNumber: true,
      show: (group: Group) => formatNumber(group[state]),
    }),
  ),
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
        columns={columnsOf(queue.groups)}
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

function filterOf({
  transportId,
  transport,
}: Pick<Group, 'transportId' | 'transport'>): QueueFilters {
  if (transportId !== null) return { transportId: String(transportId) }
  return { transport: transport === null ? 'none' : 'default' }
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
