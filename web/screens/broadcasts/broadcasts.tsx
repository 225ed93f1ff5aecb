import { ButtonLink } from '../../design/button.tsx'
import { Badge, Empty, HelpLink } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { Page, Show } from '../../design/page.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import type { Tone } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { broadcastWords } from '../../words/broadcasts.ts'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { BroadcastBar } from './broadcast-bar.tsx'

export type Broadcast = Schema<'Broadcast'>

const text = broadcastWords

const tones: Record<Broadcast['state'], Tone> = {
  running: 'accent',
  paused: 'warn',
  cancelled: 'neutral',
  done: 'good',
}

/** Whether a broadcast runs; one that is done but was refused by some is no success. */
export function StateBadge({ broadcast: { state, refused, uncertain } }: { broadcast: Broadcast }) {
  const isMixed = state === 'done' && refused + uncertain > 0
  return <Badge tone={isMixed ? 'warn' : tones[state]}>{text.states[state]}</Badge>
}

const columns: readonly Column<Broadcast>[] = [
  {
    label: text.email,
    show: ({ id, email }) => <a href={`/broadcasts/${id}`}>{email.name}</a>,
  },
  {
    label: text.segment,
    show: ({ segment }) => segment ?? <span class="quiet">{text.chosen}</span>,
  },
  {
    label: text.state,
    show: (broadcast) => (
      <>
        <StateBadge broadcast={broadcast} />
        {broadcast.problem !== null && <p class="small">{broadcast.problem}</p>}
      </>
    ),
  },
  { label: text.progress, show: (broadcast) => <BroadcastBar broadcast={broadcast} /> },
  {
    label: words.outcomes.accepted,
    isNumber: true,
    show: ({ accepted }) => formatNumber(accepted),
  },
  { label: words.outcomes.refused, isNumber: true, show: ({ refused }) => formatNumber(refused) },
  { label: text.started, show: ({ dateAdded }) => <Time iso={dateAdded} /> },
]

const stateOptions = [
  { value: '', label: words.all },
  ...Object.entries(text.states).map(([value, label]) => ({ value, label })),
]

/** All broadcasts, the newest first. */
export function BroadcastsScreen() {
  const list = useList({ field: 'id', isDescending: true })
  const { state = '', emailId } = list.query
  const loaded = useData(
    async (signal) => {
      const { start, limit } = list.asked
      const query = { start, limit, state, emailId }
      return (await ask('GET', '/api/broadcasts', { query, signal })).body
    },
    [list.key],
  )
  const add = can('email:send') && can('contact:view') && (
    <ButtonLink href="/broadcasts/new" kind="primary">
      {text.add}
    </ButtonLink>
  )
  return (
    <Page title={text.title} actions={add}>
      <Show loaded={loaded}>
        {({ broadcasts, total }) =>
          total === 0 && state === '' ? (
            <Empty>
              <p>{text.empty}</p>
              {add}
              <HelpLink page="sent-to-the-wrong-segment">{text.task}</HelpLink>
            </Empty>
          ) : (
            <>
              <div class="toolbar">
                <SelectField
                  label={text.state}
                  value={state}
                  onValue={(value) => list.go({ state: value })}
                  options={stateOptions}
                />
              </div>
              {total === 0 ? (
                <Empty>{text.noMatch}</Empty>
              ) : (
                <>
                  <Table
                    caption={text.title}
                    rows={broadcasts}
                    columns={columns}
                    keyOf={({ id }) => id}
                  />
                  <Pager {...list.paging} total={total} />
                </>
              )}
            </>
          )
        }
      </Show>
    </Page>
  )
}
