import { Badge, Empty } from '../../design/feedback.tsx'
import { Show } from '../../design/page.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { accessWords } from '../../words/access.ts'
import { words } from '../../words/common.ts'

const { clients: texts } = accessWords

const columns: readonly Column<Schema<'OAuthClient'>>[] = [
  {
    label: texts.labels.name,
    field: 'name',
    show: ({ id, name }) => <a href={`/access/clients/${id}`}>{name}</a>,
  },
  { label: texts.clientId, show: ({ clientId }) => <code>{clientId}</code> },
  {
    label: accessWords.users.state,
    show: ({ isPublished }) => (
      <Badge tone={isPublished ? 'good' : 'neutral'}>
        {isPublished ? words.published : words.unpublished}
      </Badge>
    ),
  },
  {
    label: accessWords.sessions.started,
    field: 'dateAdded',
    show: ({ dateAdded }) => <Time iso={dateAdded} />,
  },
]

export function Clients() {
  const list = useList({ field: 'name', isDescending: false })
  const loaded = useData(
    async (signal) => (await ask('GET', '/api/oauthClients', { query: list.asked, signal })).body,
    [list.key],
  )
  return (
    <Show loaded={loaded}>
      {({ oauthClients, total }) =>
        total === 0 ? (
          <Empty>{texts.empty}</Empty>
        ) : (
          <>
            <Table
              caption={accessWords.tabs.clients}
              rows={oauthClients}
              columns={columns}
              keyOf={({ id }) => id}
              {...list.ordering}
            />
            <Pager {...list.paging} total={total} />
          </>
        )
      }
    </Show>
  )
}
