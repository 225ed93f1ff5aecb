import { Page } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { words } from '../../words.ts'
import { EmailAssignments } from './email-assignments.tsx'
import { UserAssignments } from './user-assignments.tsx'

const { assignments: texts } = words

const tabs = [
  { name: 'emails', needs: 'email:view', content: EmailAssignments },
  { name: 'users', needs: 'user:view', content: UserAssignments },
] as const

/** The transport of each email and of each user. */
export function AssignmentsScreen() {
  const { query } = useAddress()
  const shown = tabs.filter(({ needs }) => can(needs))
  const tab = shown.find(({ name }) => name === query['of']) ?? shown[0]
  if (tab === undefined) return null
  const { name, content: Content } = tab
  return (
    <Page title={texts.title}>
      <p class="quiet">{texts.intro}</p>
      <nav class="tabs" aria-label={texts.title}>
        {shown.map((each) => (
          <a
            key={each.name}
            class="tab"
            href={`/assignments?of=${each.name}`}
            aria-current={each.name === name ? 'page' : undefined}
          >
            {texts.tabs[each.name]}
          </a>
        ))}
      </nav>
      <Content key={name} />
    </Page>
  )
}
