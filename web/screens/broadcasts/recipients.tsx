import { Empty } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { NextPages } from '../../design/next-pages.tsx'
import { Card, Show } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body, type Schema } from '../../lib/api.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useFresh } from '../../lib/use-fresh.ts'
import type { Outcome } from '../../records/delivery-filters.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { QueueStateBadge } from '../../records/queue-state-badge.tsx'
import { broadcastWords as text } from '../../words/broadcasts.ts'
import { words } from '../../words/common.ts'
import { queueWords } from '../../words/queue.ts'
import type { Broadcast } from './parts.tsx'

type Recipient = Body<'GET', '/api/broadcasts/{id}/recipients'>['recipients'][number]

const limit = 30
const refreshMs = 5_000
const all = 'all'

const columns: readonly Column<Recipient>[] = [
  {
    label: text.recipient,
    isName: true,
    show: ({ contactId, address }) => (
      <a href={`/contacts/${contactId}`}>{address || text.contact(contactId)}</a>
    ),
  },
  { label: words.state, show: ({ state }) => <RecipientState state={state} /> },
  {
    label: text.reason,
    priority: 2,
    show: ({ delivery }) => delivery?.reason ?? delivery?.reply ?? words.none,
  },
  {
    label: text.time,
    priority: 3,
    show: ({ delivery }) =>
      delivery === null ? (
        words.none
      ) : (
        <a href={`/deliveries/${delivery.id}`}>
          <Time iso={delivery.date} />
        </a>
      ),
  },
]

/** Where a recipient is in the queue, or its outcome. */
function RecipientState({ state }: { state: Recipient['state'] }) {
  if (state in queueWords.states)
    return <QueueStateBadge state={state as Schema<'QueuedMessage'>['state']} />
  return <OutcomeBadge outcome={state as Outcome} />
}

const stateOptions = [
  { value: all, label: words.all },
  ...Object.entries({ ...words.outcomes, ...queueWords.states }).map(([value, label]) => ({
    value,
    label,
  })),
]

/** The recipients of a broadcast, by state: those whose servers refused the message for good, if there are some. */
export function Recipients({ broadcast }: { broadcast: Broadcast }) {
  const { id, refused } = broadcast
  const { query, go } = useAddress()
  const { next: position, state = refused > 0 ? 'refused' : all } = query
  const loaded = useFresh(
    async (signal) => {
      const asked = { state: state === all ? undefined : state, next: position, limit }
      const options = { path: { id }, query: asked, signal }
      return (await ask('GET', '/api/broadcasts/{id}/recipients', options)).body
    },
    [id, broadcast.state, state, position],
    broadcast.state === 'running' ? refreshMs : undefined,
  )
  return (
    <Card title={text.recipientsTitle}>
      <div class="toolbar">
        <SelectField
          label={words.state}
          value={state}
          onValue={(chosen) => go({ state: chosen, next: undefined })}
          options={stateOptions}
        />
      </div>
      <Show loaded={loaded}>
        {({ recipients, next }) => (
          <>
            {recipients.length === 0 ? (
              <Empty>{next === null ? text.noRecipient : text.searchOn}</Empty>
            ) : (
              <Table
                caption={text.recipientsTitle}
                rows={recipients}
                columns={columns}
                keyOf={({ contactId }) => contactId}
              />
            )}
            <NextPages
              position={position}
              next={next}
              onPage={(from) => go({ state, next: from })}
              labels={{ newest: text.newest, older: text.next }}
            />
          </>
        )}
      </Show>
    </Card>
  )
}
