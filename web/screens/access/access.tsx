import { useRoute } from 'preact-iso/router'
import { ButtonLink } from '../../design/button.tsx'
import { Badge } from '../../design/feedback.tsx'
import { Page } from '../../design/page.tsx'
import type { Column } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { NameCell, ResourceList } from '../../records/resource-list.tsx'
import { accessWords as text } from '../../words/access.ts'
import { words } from '../../words/common.ts'
import { describeRole } from './permissions.tsx'
import { Sessions } from './sessions.tsx'

const byName = { field: 'name', isDescending: false }

function StateBadge({ isPublished }: { isPublished: boolean }) {
  return (
    <Badge tone={isPublished ? 'good' : 'neutral'}>
      {isPublished ? text.active : text.disabled}
    </Badge>
  )
}

const userColumns: readonly Column<Schema<'User'>>[] = [
  {
    label: text.users.labels.username,
    field: 'username',
    isName: true,
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
  { label: text.state, show: (user) => <StateBadge {...user} /> },
]

const roleColumns: readonly Column<Schema<'Role'>>[] = [
  {
    label: text.roles.labels.name,
    field: 'name',
    isName: true,
    show: ({ id, name, description }) => (
      <NameCell href={`/access/roles/${id}`} name={name} note={description} />
    ),
  },
  {
    label: text.roles.permissions,
    show: (role) => <span class="small">{describeRole(role)}</span>,
  },
]

const clientColumns: readonly Column<Schema<'OAuthClient'>>[] = [
  {
    label: text.clients.labels.name,
    field: 'name',
    isName: true,
    show: ({ id, name }) => <NameCell href={`/access/clients/${id}`} name={name} />,
  },
  { label: text.clients.clientId, priority: 3, show: ({ clientId }) => <code>{clientId}</code> },
  { label: text.state, show: (client) => <StateBadge {...client} /> },
  {
    label: text.clients.added,
    field: 'dateAdded',
    priority: 4,
    show: ({ dateAdded }) => <Time iso={dateAdded} />,
  },
]

function Users() {
  return (
    <ResourceList
      texts={text.users}
      columns={userColumns}
      order={{ field: 'username', isDescending: false }}
      load={async (query, signal) => {
        const { users, total } = (await ask('GET', '/api/users', { query, signal })).body
        return { rows: users, total }
      }}
    />
  )
}

function Roles() {
  return (
    <ResourceList
      texts={text.roles}
      columns={roleColumns}
      order={byName}
      load={async (query, signal) => {
        const { roles, total } = (await ask('GET', '/api/roles', { query, signal })).body
        return { rows: roles, total }
      }}
    />
  )
}

function Clients() {
  return (
    <ResourceList
      texts={text.clients}
      columns={clientColumns}
      order={byName}
      load={async (query, signal) => {
        const { body } = await ask('GET', '/api/oauthClients', { query, signal })
        return { rows: body.oauthClients, total: body.total }
      }}
    />
  )
}

const tabs = [
  { name: 'users', content: Users, area: 'user', title: text.users.title, add: text.users.add },
  { name: 'roles', content: Roles, area: 'user', title: text.roles.title, add: text.roles.add },
  {
    name: 'clients',
    content: Clients,
    area: 'api',
    title: text.clients.title,
    add: text.clients.add,
  },
  { name: 'sessions', content: Sessions, area: undefined, title: text.sessions.title, add: '' },
] as const

/** Who may do what: users, roles, OAuth clients, and the reader's own sessions, at `/access/TAB`. */
export function AccessScreen() {
  const { params, query } = useRoute()
  const shown = tabs.filter(({ area }) => area === undefined || can(`${area}:view`))
  const name = params['tab'] ?? query['tab']
  const tab = shown.find((each) => each.name === name) ?? shown[0]
  if (tab === undefined) return null
  const { content: Content, area, add } = tab
  return (
    <Page
      title={text.title}
      actions={
        area !== undefined &&
        can(`${area}:create`) && (
          <ButtonLink href={`/access/${tab.name}/new`} kind="primary">
            {add}
          </ButtonLink>
        )
      }
    >
      <nav class="tabs" aria-label={text.title}>
        {shown.map((each) => (
          <a
            key={each.name}
            class="tab"
            href={`/access/${each.name}`}
            aria-current={each === tab ? 'page' : undefined}
          >
            {each.title}
          </a>
        ))}
      </nav>
      <Content key={tab.name} />
    </Page>
  )
}
