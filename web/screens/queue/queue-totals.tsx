import { Badge, Empty, HelpLink } from '../../design/feedback.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import type { Schema } from '../../lib/api.ts'
import { ofBrand } from '../../lib/brand.ts'
import {
  byTransport,
  countQueued,
  filterOfGroup,
  keyOfGroup,
  nameOfGroup,
  queueHref,
  type TransportGroup,
  WhyWaiting,
} from '../../records/queue.tsx'
import { words } from '../../words/common.ts'
import { formatBytes, formatNumber } from '../../words/format.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { type QueueAction, QueueActions } from './queue-actions.tsx'

type Queue = Schema<'Queue'>
type Group = Schema<'QueueGroup'>

const { labels } = texts
/** In all tables; those of the others that have recipients are added. */
const usual = ['queued', 'deferred', 'sending'] as const
const others = ['held', 'uncertain'] as const
const states = {
  available: { label: 'Available', tone: 'good' },
  unavailable: { label: 'Not available', tone: 'bad' },
  limited: { label: 'Limit reached', tone: 'wait' },
  held: { label: 'Held', tone: 'warn' },
  unpublished: { label: 'Unpublished', tone: 'neutral' },
  deleted: { label: 'Deleted', tone: 'neutral' },
  unanswered: { label: 'Not answered', tone: 'neutral' },
} as const

const columnsOf = (
  groups: readonly TransportGroup[],
  onChanged: () => void,
): readonly Column<TransportGroup>[] => [
  {
    label: labels.transport,
    kind: 'name',
    show: (group) => (
      <>
        <a href={queueHref(filterOfGroup(group))}>{nameOfGroup(group)}</a>
        <p class="quiet small">{lanesOf(group)}</p>
        {group.state === 'unavailable' && (
          <p class="quiet small">
            {labels.nextAttempt} <Time iso={group.availableAt} past={words.now} />
          </p>
        )}
      </>
    ),
  },
  { label: words.state, show: (group) => <TransportState group={group} /> },
  ...[...usual, ...others.filter((state) => groups.some((group) => group[state] > 0))].map(
    (state): Column<TransportGroup> => ({
      label: texts.states[state],
      kind: 'number',
      ...(state !== 'deferred' && state !== 'held' && { priority: 4 }),
      show: (group) => formatNumber(group[state]),
    }),
  ),
  { label: labels.oldest, kind: 'time', priority: 4, show: ({ oldest }) => <Time iso={oldest} /> },
  {
    label: labels.actions,
    kind: 'actions',
    show: (group) => (
      <div class="row">
        <QueueActions
          target={{ filters: { ...filterOfGroup(group), ...ofBrand() } }}
          actions={actionsFor(group)}
          onChanged={onChanged}
        />
      </div>
    ),
  },
]

/** What is useful: what a person holds is released, what waits is held or tried again. */
function actionsFor(group: TransportGroup): QueueAction[] {
  const actions: QueueAction[] = []
  if (group.state === 'held' || group.held > 0) actions.push('release')
  if (group.state !== 'held') actions.push('hold')
  if (group.deferred > 0) actions.push('retry')
  if (group.state === 'unanswered') actions.push('sendUnanswered')
  return actions
}

/** The numbers of the queue by transport, and what can be done with all messages of one. */
export function QueueTotals({ queue, onChanged }: { queue: Queue; onChanged: () => void }) {
  const task = <HelpLink page="a-provider-is-down" />
  if (queue.groups.length === 0)
    return (
      <Empty>
        <p>{texts.empty}</p>
        {task}
      </Empty>
    )
  const groups = byTransport(queue.groups)
  return (
    <section class="stack" aria-label={texts.totals}>
      <Table
        caption={texts.totals}
        rows={groups}
        columns={columnsOf(groups, onChanged)}
        keyOf={keyOfGroup}
      />
      <p class="quiet small">
        {labels.size}: {texts.size(formatBytes(queue.bytes), formatBytes(queue.bytesMax))}
      </p>
      {groups.some(({ state }) => state === 'unavailable') && <p>{task}</p>}
    </section>
  )
}

function lanesOf({ lanes }: TransportGroup): string {
  return lanes
    .flatMap((part) =>
      part.lane === null ? [] : `${texts.lanes[part.lane]} ${formatNumber(countQueued(part))}`,
    )
    .join(' · ')
}

function TransportState({ group }: { group: Group }) {
  const { state } = group
  if (state === null) return words.none
  // It may be tried again, but its last attempt failed.
  const hasFailed = state === 'available' && group.problem !== null
  return (
    <>
      {!hasFailed && (
        <Badge tone={states[state].tone} icon={state === 'held' ? 'held' : undefined}>
          {states[state].label}
        </Badge>
      )}
      <WhyWaiting group={group} />
    </>
  )
}
