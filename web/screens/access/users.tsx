import { Badge, Empty } from '../../design/feedback.tsx'
import { Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { accessWords } from '../../words/access.ts'
import { words } from '../../words/common.ts'

const { users: texts } = accessWords

const columns: readonly Column<Schema<'User'>>[] = [
  {
    label: texts.labels.username,
    field: 'username',
    show: ({ id, username }) => <a href={`/access/users/${id}`}>{username}</a>,
  },
  { label: texts.name, show: ({ firstName, lastName }) => `${firstName} ${lastName}`.trim() },
  { label: texts.labels.email, field: 'email', show: ({ email }) => email },
  { label: texts.labels.role, show: ({ role }) => role?.name ?? words.none },
  {
    label: texts.state,
    show: ({ isPublished }) => (
      <Badge tone={isPublished ? 'good' : 'neutral'}>
        {isPublished ? texts.active : texts.disabled}
      </Badge>
    ),
  },
]

export function Users() {
  const list = useList({ field: 'username', isDescending: false })
  const loaded = useData(
    async (signal) => (await ask('GET', '/api/users', { query: list.asked, signal })).body,
    [list.key],
  )
  return (
    <>
      <SearchForm {...list.searching} label={texts.search} />
      <Show loaded={loaded}>
        {({ users, total }) =>
          total === 0 ? (
            <Empty>{texts.none}</Empty>
          ) : (
            <>
              <Table
                caption={accessWords.tabs.users}
                rows={users}
                columns={columns}
                keyOf={({ id }) => id}
                {...list.ordering}
              />
              <Pager {...list.paging} total={total} />
            </>
          )
        }
      </Show>
    </>
  )
}
