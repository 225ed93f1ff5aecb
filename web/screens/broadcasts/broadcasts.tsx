import { HelpLink } from '../../design/feedback.tsx'
import type { Column } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { type ListFilter, NameCell, ResourceListScreen } from '../../records/resource-list.tsx'
import { broadcastWords as text } from '../../words/broadcasts.ts'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { type Broadcast, BroadcastBar, emailNameOf, eventFiguresOf, StateBadge } from './parts.tsx'

const refreshMs = 10_000

/** A number of deliveries, which leads to them. */
const countOf = (outcome: 'accepted' | 'refused' | 'uncertain' | 'suppressed') => ({
  label: words.outcomes[outcome],
  isNumber: true,
  show: (broadcast: Broadcast) =>
    broadcast[outcome] === 0 ? (
      <span class="quiet">0</span>
    ) : (
      <a href={withQuery('/deliveries', { broadcastId: broadcast.id, outcome })}>
        {formatNumber(broadcast[outcome])}
      </a>
    ),
})

const columns: readonly Column<Broadcast>[] = [
  {
    label: text.email,
    isName: true,
    show: (broadcast) => (
      <NameCell
        href={`/broadcasts/${broadcast.id}`}
        name={emailNameOf(broadcast)}
        note={broadcast.segment ?? text.chosen}
      />
    ),
  },
  {
    label: words.state,
    show: (broadcast) => (
      <>
        <StateBadge broadcast={broadcast} />
        {broadcast.problem !== null && <p class="small clamp">{broadcast.problem}</p>}
      </>
    ),
  },
  {
    label: text.progress,
    priority: 3,
    show: (broadcast) => (
      <>
        <BroadcastBar broadcast={broadcast} />
        <p class="small quiet">
          {broadcast.estimatedEnd === null ? (
            text.recipients(broadcast.total)
          ) : (
            <>
              {text.perSecond(broadcast.rate)}, {text.endsAt} <Time iso={broadcast.estimatedEnd} />
            </>
          )}
        </p>
      </>
    ),
  },
  countOf('accepted'),
  { ...countOf('refused'), priority: 2 },
  {
    label: text.afterwardsShort,
    priority: 2,
    show: (broadcast) => (
      <ul class="counts">
        {eventFiguresOf(broadcast)
          .filter(({ count }) => count > 0)
          .map(({ label, href, note }) => (
            <li key={label}>
              {label} <a href={href}>{note}</a>
            </li>
          ))}
      </ul>
    ),
  },
  { ...countOf('suppressed'), priority: 4 },
  { ...countOf('uncertain'), priority: 4 },
  { label: text.started, priority: 4, show: ({ dateAdded }) => <Time iso={dateAdded} /> },
]

const filters: readonly ListFilter[] = [
  {
    name: 'state',
    label: words.state,
    options: [
      { value: '', label: words.all },
      ...Object.entries(text.states).map(([value, label]) => ({ value, label })),
    ],
  },
  { name: 'emailId', label: text.email },
]

/** All broadcasts, the newest first. */
export function BroadcastsScreen() {
  return (
    <ResourceListScreen
      path="/broadcasts"
      {...(can('contact:view') && { add: { label: text.add, needs: 'email:send' } })}
      help={<HelpLink page="sent-to-the-wrong-segment">{text.task}</HelpLink>}
      list={{
        texts: text,
        columns,
        filters,
        refreshMs,
        order: { field: 'id', isDescending: true },
        async load({ start, limit, state, emailId }, signal) {
          const query = { start, limit, state, emailId }
          const { body } = await ask('GET', '/api/broadcasts', { query, signal })
          return { rows: body.broadcasts, total: body.total }
        },
      }}
    />
  )
}
