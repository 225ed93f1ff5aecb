import { useRoute } from 'preact-iso/router'
import { ButtonLink } from '../../design/button.tsx'
import { Badge, Dot } from '../../design/feedback.tsx'
import { ListViews } from '../../design/list-views.tsx'
import { Page } from '../../design/page.tsx'
import type { Column } from '../../design/table.tsx'
import type { Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { brandName, brands } from '../../records/brands.tsx'
import { NameCell, nameColumn, timeColumn } from '../../records/columns.tsx'
import { ResourceList } from '../../records/resource-list.tsx'
import { listOf } from '../../records/stored.ts'
import { accessWords as text } from '../../words/access.ts'
import { brandWords } from '../../words/brands.ts'
import { words } from '../../words/common.ts'
import { formatList } from '../../words/format.ts'
import { describeRole } from './permissions.tsx'
import { Sessions } from './sessions.tsx'

const stateColumn: Column<{ isPublished: boolean }> = {
  label: words.state,
  kind: 'state',
  show: ({ isPublished }) =>
    isPublished ? <Dot>{text.active}</Dot> : <Badge>{text.disabled}</Badge>,
}

const userColumns: readonly Column<Schema<'User'>>[] = [
  {
    label: text.users.labels.username,
    field: 'username',
    kind: 'name',
    show: ({ id, username, firstName, lastName }) => (
      <NameCell
        href={`/access/users/${id}`}
        name={username}
        note={`${firstName} ${lastName}`.trim()}
      />
    ),
  },
  { label: text.users.labels.email, field: 'email', priority: 3, show: ({ email }) => email },
  { label: text.users.labels.role, priority: 2, show: ({ role }) => role?.name ?? words.none },
  { label: text.users.labels.brands, priority: 4, show: ({ brands }) => nameBrands(brands) },
  stateColumn,
]

/** The names of the brands of a user; nothing where there is no brand at all. */
const nameBrands = (own: readonly number[] = []) =>
  own.length > 0 ? formatList(own.map(brandName)) : brands.value.length > 0 && brandWords.all

const roleColumns: readonly Column<Schema<'Role'>>[] = [
  nameColumn('/access/roles', text.roles.labels.name, ({ description }) => description),
  {
    label: text.roles.permissions,
    show: (role) => <span class="small">{describeRole(role)}</span>,
  },
]

const clientColumns: readonly Column<Schema<'OAuthClient'>>[] = [
  nameColumn('/access/clients', text.clients.labels.name),
  { label: text.clients.clientId, priority: 3, show: ({ clientId }) => <code>{clientId}</code> },
  stateColumn,
  timeColumn(text.clients.added, (client) => client.dateAdded, { field: 'dateAdded', priority: 4 }),
]

/** The area of each tab's permissions, and its list; none for the reader's own sessions. */
const tabs = {
  users: {
    area: 'user',
    list: () => (
      <ResourceList
        texts={text.users}
        columns={userColumns}
        order={{ field: 'username', isDescending: false }}
        brandBy="none"
        load={listOf('user')}
      />
    ),
  },
  roles: {
    area: 'user',
    list: () => (
      <ResourceList texts={text.roles} columns={roleColumns} brandBy="none" load={listOf('role')} />
    ),
  },
  clients: {
    area: 'api',
    list: () => (
      <ResourceList texts={text.clients} columns={clientColumns} load={listOf('oauthClient')} />
    ),
  },
  sessions: { area: undefined, list: Sessions },
}

type TabName = keyof typeof tabs
const tabNames = Object.keys(tabs) as TabName[]

/** Who may do what: users, roles, OAuth clients, and the reader's own sessions, at `/access/TAB`. */
export default function AccessScreen() {
  const { params, query } = useRoute()
  const shown = tabNames.filter((name) => {
    const { area } = tabs[name]
    return area === undefined || can(`${area}:view`)
  })
  const asked = params['tab'] ?? query['tab']
  const tab = shown.find((name) => name === asked) ?? shown[0] ?? 'sessions'
  const { list: List, area } = tabs[tab]
  return (
    <Page
      title={words.places.access}
      actions={
        tab !== 'sessions' &&
        can(`${area}:create`) && (
          <ButtonLink href={`/access/${tab}/new`} kind="primary">
            {text[tab].add}
          </ButtonLink>
        )
      }
    >
      <ListViews
        label={words.places.access}
        shown={tab}
        views={Object.fromEntries(shown.map((name) => [name, text[name].title]))}
        hrefOf={(name) => `/access/${name}`}
      />
      <List key={tab} />
    </Page>
  )
}
