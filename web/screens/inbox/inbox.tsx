import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Empty } from '../../design/feedback.tsx'
import { NextPages } from '../../design/next-pages.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { words } from '../../words/common.ts'
import { formatBytes } from '../../words/format.ts'
import { inboxWords } from '../../words/inbox.ts'

type Item = Body<'GET', '/api/inbox'>['messages'][number]

const text = inboxWords
const { labels } = text
const pageSize = 50
const recipientsShown = 3

const columns: readonly Column<Item>[] = [
  {
    label: labels.subject,
    show: ({ id, subject }) => <a href={`/inbox/${id}`}>{subject || text.noSubject}</a>,
  },
  { label: labels.recipients, show: ({ recipients }) => writeRecipients(recipients) },
  { label: labels.sender, show: ({ sender }) => sender || words.none },
  { label: labels.transport, show: ({ transport }) => transport ?? words.none },
  { label: labels.size, isNumber: true, show: ({ sizeBytes }) => formatBytes(sizeBytes) },
  { label: labels.time, show: ({ date }) => <Time iso={date} /> },
]

function writeRecipients(recipients: readonly string[]): string {
  const shown = recipients.slice(0, recipientsShown).join(', ')
  const left = recipients.length - recipientsShown
  return left > 0 ? `${shown} ${text.more(left)}` : shown
}

/** The messages that `inbox://local` has captured, the newest first. */
export function InboxScreen() {
  const { query, go } = useAddress()
  const { search = '', next: position, transportId } = query
  const loaded = useData(
    async (signal) => {
      const asked = { search, next: position, transportId, limit: pageSize }
      return (await ask('GET', '/api/inbox', { query: asked, signal })).body
    },
    [search, position, transportId],
  )
  const isFiltered = search !== '' || position !== undefined || transportId !== undefined
  const hasMessages = isFiltered || (loaded.data?.messages.length ?? 0) > 0
  return (
    <Page
      title={text.title}
      actions={hasMessages && can('email:delete') && <ClearButton onDone={loaded.reload} />}
    >
      {hasMessages && (
        <div class="toolbar">
          <SearchForm
            label={text.search}
            value={search}
            onSearch={(typed) => go({ search: typed, next: undefined }, search !== '')}
          />
        </div>
      )}
      <Show loaded={loaded}>
        {({ messages, next, total }) => (
          <>
            {messages.length === 0 ? (
              <NoMessages isFiltered={isFiltered} />
            ) : (
              <Table
                caption={text.title}
                rows={messages}
                columns={columns}
                keyOf={({ id }) => id}
              />
            )}
            <NextPages position={position} next={next} onPage={(from) => go({ next: from })}>
              {total > 0 && <span class="quiet small">{text.count(total)}</span>}
            </NextPages>
          </>
        )}
      </Show>
    </Page>
  )
}

function NoMessages({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty>{text.noMatch}</Empty>
  return (
    <Empty>
      <p>{text.empty}</p>
      {can('multipleTransports:create') && (
        <ButtonLink href="/transports/new">{text.toTransports}</ButtonLink>
      )}
    </Empty>
  )
}

function ClearButton({ onDone }: { onDone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const clear = async () => {
    showToast((await ask('DELETE', '/api/inbox')).body.message)
    onDone()
  }
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {text.clear.action}
      </Button>
      {isAsking && (
        <Confirm
          title={text.clear.title}
          text={text.clear.text}
          action={text.clear.action}
          onConfirm={clear}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
