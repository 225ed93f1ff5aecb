import type { ComponentType } from 'preact'
import { ButtonLink } from '../../design/button.tsx'
import { Page } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { accessWords } from '../../words/access.ts'
import { Clients } from './clients.tsx'
import { Roles } from './roles.tsx'
import { Sessions } from './sessions.tsx'
import { Users } from './users.tsx'

interface Tab {
  name: keyof typeof accessWords.tabs
  content: ComponentType
  needs?: string
  add?: { needs: string; href: string; label: string }
}

const tabs: readonly Tab[] = [
  {
    name: 'users',
    content: Users,
    needs: 'user:view',
    add: { needs: 'user:create', href: '/access/users/new', label: accessWords.users.add },
  },
  {
    name: 'roles',
    content: Roles,
    needs: 'user:view',
    add: { needs: 'user:create', href: '/access/roles/new', label: accessWords.roles.add },
  },
  {
    name: 'clients',
    content: Clients,
    needs: 'api:view',
    add: { needs: 'api:create', href: '/access/clients/new', label: accessWords.clients.add },
  },
  { name: 'sessions', content: Sessions },
]

/** Who may do what: users, roles, OAuth clients, and the reader's own sessions. */
export function AccessScreen() {
  const { query } = useAddress()
  const shown = tabs.filter(({ needs }) => needs === undefined || can(needs))
  const tab = shown.find(({ name }) => name === query['tab']) ?? shown[0]
  if (tab === undefined) return null
  const { name, content: Content, add } = tab
  return (
    <Page
      title={accessWords.title}
      actions={
        add !== undefined &&
        can(add.needs) && (
          <ButtonLink href={add.href} kind="primary">
            {add.label}
          </ButtonLink>
        )
      }
    >
      <nav class="tabs" aria-label={accessWords.title}>
        {shown.map((each) => (
          <a
            key={each.name}
            class="tab"
            href={`/access?tab=${each.name}`}
            aria-current={each.name === name ? 'page' : undefined}
          >
            {accessWords.tabs[each.name]}
          </a>
        ))}
      </nav>
      <Content key={name} />
    </Page>
  )
}
