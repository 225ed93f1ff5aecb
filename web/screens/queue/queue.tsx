import { useState } from 'preact/hooks'
import { Empty, HelpLink } from '../../design/feedback.tsx'
import { choicesOf } from '../../design/field.tsx'
import { Page, Show } from '../../design/page.tsx'
import { type Column, NextPages, Selection, Table } from '../../design/table.tsx'
import { ofBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { timeColumn } from '../../records/columns.tsx'
import { Filters, type ListFilter } from '../../records/filters.tsx'
import { useMessageFilters } from '../../records/message-filters.ts'
import { useMessageColumns } from '../../records/message-origin.tsx'
import {
  isWholeTransport,
  NextAttempt,
  type QueueFilters,
  QueueStateBadge,
} from '../../records/queue.tsx'
import { words } from '../../words/common.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { Brakes } from './brakes.tsx'
import { QueueActions, type QueuedMessage } from './queue-actions.tsx'
import { QueueTotals } from './queue-totals.tsx'

const refreshMs = 5_000
const pageSize = 50
const { labels } = texts

const stateFilters: readonly ListFilter[] = [
  { name: 'state', label: words.state, options: choicesOf(texts.states) },
]
const furtherFilters: readonly ListFilter[] = [
  { name: 'subject', label: labels.subject, kind: 'text' },
  { name: 'lane', label: labels.lane, options: choicesOf(texts.lanes) },
  { name: 'sender', label: labels.sender, kind: 'text', help: words.partOfAddress },
]
const otherTransports = choicesOf(texts.noTransports)

const stateColumn: Column<QueuedMessage> = {
  label: words.state,
  kind: 'state',
  show: ({ state, lane }) => (
    <>
      <QueueStateBadge state={state} />
      <p class="quiet small">{texts.lanes[lane]}</p>
    </>
  ),
}

const furtherColumns: readonly Column<QueuedMessage>[] = [
  timeColumn(labels.added, ({ dateAdded }) => dateAdded, { priority: 4 }),
  {
    label: labels.nextAttempt,
    kind: 'time',
    priority: 3,
    show: (message) => (
      <>
        <NextAttempt message={message} />
        {message.attempts > 0 && <p class="quiet small">{words.attempts(message.attempts)}</p>}
      </>
    ),
  },
  {
    label: labels.problem,
    kind: 'sentence',
    priority: 2,
    show: ({ problem }) => problem,
  },
]

/** What is stored and not sent yet: the numbers, and the messages with what can be done with them. */
export default function QueueScreen() {
  const { query, go } = useAddress()
  const bar = useMessageFilters(stateFilters, furtherFilters, otherTransports)
  const filters = { ...bar.values, ...ofBrand() }
  const { next: position } = query
  const totals = useAnswer('/api/queue', { query: ofBrand() }, { refreshMs })
  const brakes = useAnswer('/api/queue/brakes', { query: ofBrand() }, { refreshMs })
  const listQuery = { ...filters, next: position, limit: pageSize }
  const list = useAnswer('/api/queue/messages', { query: listQuery }, { refreshMs })
  const reload = () => {
    totals.reload()
    brakes.reload()
    list.reload()
  }
  const hits = ({ messages, next }: { messages: readonly unknown[]; next: number | null }) =>
    words.hits(messages.length, texts.messages, position === undefined && next === null ? '' : '+')
  return (
    <Page title={words.places.queue}>
      <p class="quiet">
        {texts.intro} <HelpLink page="sent-to-the-wrong-people" />
      </p>
      {brakes.data !== undefined && <Brakes {...brakes.data} onChanged={reload} />}
      <Show loaded={totals}>{(queue) => <QueueTotals queue={queue} onChanged={reload} />}</Show>
      <h2>{texts.messages}</h2>
      <Filters {...bar} hits={list.data && hits(list.data)} />
      <Show loaded={list}>
        {({ messages, next, warnings = [] }) => (
          <>
            <Messages
              key={JSON.stringify(listQuery)}
              messages={messages}
              filters={filters}
              onChanged={reload}
            />
            {messages.length === 0 && (totals.data?.groups.length ?? 1) > 0 && (
              <Empty>
                <p>{next === null ? texts.noMatch : texts.searchOn}</p>
                {warnings.map((warning) => (
                  <p key={warning}>{warning}</p>
                ))}
              </Empty>
            )}
            <NextPages position={position} next={next} onPage={(from) => go({ next: from })} />
          </>
        )}
      </Show>
    </Page>
  )
}

/** The messages of a page. Actions are for those that are selected, or for all that match the filters. */
function Messages({
  messages,
  filters,
  onChanged,
}: {
  messages: readonly QueuedMessage[]
  filters: QueueFilters
  onChanged: () => void
}) {
  const [ids, onSelect] = useState<ReadonlySet<number>>(new Set())
  const columns = useMessageColumns('/queue', messages, [stateColumn])
  const mayChange = can('queue:edit')
  // Messages leave the queue while the page is open.
  const chosen = messages.filter(({ id }) => ids.has(id))
  const selected = new Set(chosen.map(({ id }) => id))
  const isFiltered = Object.keys(filters).length > 0
  const hasAny = messages.length > 0 || isWholeTransport(filters)
  return (
    <>
      <Selection selected={selected} onSelect={onSelect}>
        <QueueActions
          target={{ messages: chosen }}
          onChanged={() => {
            onSelect(new Set())
            onChanged()
          }}
        />
      </Selection>
      {mayChange && chosen.length === 0 && hasAny && (
        <div class="row">
          <span class="quiet small">{isFiltered ? texts.all : texts.needsFilter}</span>
          {isFiltered && <QueueActions target={{ filters }} onChanged={onChanged} />}
        </div>
      )}
      {messages.length > 0 && (
        <Table
          caption={texts.messages}
          rows={messages}
          columns={[...columns, ...furtherColumns]}
          keyOf={({ id }) => id}
          {...(mayChange ? { selected, onSelect } : {})}
        />
      )}
    </>
  )
}
