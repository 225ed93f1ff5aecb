import { NextPages } from '../../design/next-pages.tsx'
import { Show } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { broadcastWords } from '../../words/broadcasts.ts'
import type { Broadcast } from './broadcasts.tsx'

type Recipient = Body<'GET', '/api/broadcasts/{id}/recipients'>['recipients'][number]

const text = broadcastWords
const limit = 30

const columns: readonly Column<Recipient>[] = [
  {
    label: text.recipient,
    show: ({ contactId, delivery }) => (
      <a href={`/contacts/${contactId}`}>{delivery?.recipient ?? text.contact(contactId)}</a>
    ),
  },
  { label: text.reason, show: ({ delivery }) => delivery?.reason ?? delivery?.reply },
  {
    label: text.time,
    show: ({ delivery }) =>
      delivery && (
        <a href={`/deliveries/${delivery.id}`}>
          <Time iso={delivery.date} />
        </a>
      ),
  },
]

/** The recipients whose servers refused the message for good, with the reasons. */
export function RefusedRecipients({ broadcast: { id, refused } }: { broadcast: Broadcast }) {
  const { query, go } = useAddress()
  const { next: position } = query
  const loaded = useData(
    async (signal) => {
      const asked = { state: 'refused', next: position, limit }
      const path = { id }
      return (await ask('GET', '/api/broadcasts/{id}/recipients', { path, query: asked, signal }))
        .body
    },
    [id, refused, position],
  )
  return (
    <section class="stack" aria-label={text.refusedTitle}>
      <h2>{text.refusedTitle}</h2>
      <Show loaded={loaded}>
        {({ recipients, next }) => (
          <>
            <Table
              caption={text.refusedTitle}
              rows={recipients}
              columns={columns}
              keyOf={({ contactId }) => contactId}
            />
            <NextPages
              position={position}
              next={next}
              onPage={(from) => go({ next: from })}
              labels={{ newest: text.newest, older: text.next }}
            />
          </>
        )}
      </Show>
    </section>
  )
}
