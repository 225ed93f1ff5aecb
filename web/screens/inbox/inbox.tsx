import { useState } from 'preact/hooks'
import { ButtonLink } from '../../design/button.tsx'
import { ConfirmButton } from '../../design/dialog.tsx'
import type { Column } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { shownBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { NameCell } from '../../records/columns.tsx'
import { ResourceListScreen } from '../../records/resource-list.tsx'
import { words } from '../../words/common.ts'
import { formatBytes } from '../../words/format.ts'
import { inboxWords as text } from '../../words/inbox.ts'

type Item = Body<'GET', '/api/inbox'>['messages'][number]

const { labels } = text
const recipientsShown = 3

const columns: readonly Column<Item>[] = [
  {
    label: labels.subject,
    kind: 'name',
    show: ({ id, subject, brand }) => (
      <NameCell href={`/inbox/${id}`} name={subject || text.noSubject} brand={brand} />
    ),
  },
  { label: labels.recipients, show: ({ recipients }) => writeRecipients(recipients) },
  { label: labels.sender, priority: 3, show: ({ sender }) => sender || words.none },
  { label: labels.transport, priority: 2, show: ({ transport }) => transport ?? words.none },
  {
    label: labels.size,
    kind: 'number',
    priority: 4,
    show: ({ sizeBytes }) => formatBytes(sizeBytes),
  },
  { label: labels.time, kind: 'time', show: ({ date }) => <Time iso={date} /> },
]

function writeRecipients(recipients: readonly string[]): string {
  const shown = recipients.slice(0, recipientsShown).join(', ')
  const left = recipients.length - recipientsShown
  return left > 0 ? `${shown} ${words.more(left)}` : shown
}

export default function InboxScreen() {
  const [count, setCount] = useState(0)
  const [clears, setClears] = useState(0)
  const clear = async () => {
    showToast((await ask('DELETE', '/api/inbox')).body.message)
    setClears(clears + 1)
  }
  return (
    <ResourceListScreen
      path="/inbox"
      tools={
        count > 0 &&
        // It clears the inbox of all brands.
        shownBrand.value === '' &&
        can('email:delete') && (
          <ConfirmButton {...text.clear} kind="danger" keep={words.keepThem} onConfirm={clear} />
        )
      }
      help={
        can('multipleTransports:create') && (
          <ButtonLink href="/transports/new">{words.addTransport}</ButtonLink>
        )
      }
      list={{
        texts: text,
        columns,
        version: clears,
        filters: [{ name: 'transportId', label: labels.transport }],
        order: { field: 'date', isDescending: true },
        brandBy: 'parameter',
        async load({ start, limit, transportId, brand }, signal) {
          const query = { start, limit, transportId, brand }
          const { messages, total } = (await ask('GET', '/api/inbox', { query, signal })).body
          setCount(total)
          return { rows: messages, total }
        },
      }}
    />
  )
}
