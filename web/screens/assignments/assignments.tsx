import { useLocation } from 'preact-iso/router'
import { Page } from '../../design/page.tsx'
import { withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { MauticField } from '../../records/mautic-field.tsx'
import { mauticNameWords } from '../../words/mautic-names.ts'
import { assignmentWords } from '../../words/routing.ts'
import { EmailAssignments } from './email-assignments.tsx'
import { UserAssignments } from './user-assignments.tsx'

const texts = assignmentWords

const tabs = [
  { name: 'emails', needs: 'email:view', content: EmailAssignments },
  { name: 'users', needs: 'user:view', content: UserAssignments },
] as const

/** The transport of each email and of each user: those of Mailyard itself, or of one Mautic. */
export function AssignmentsScreen() {
  const { query } = useAddress()
  const { route } = useLocation()
  const shown = tabs.filter(({ needs }) => can(needs))
  const tab = shown.find(({ name }) => name === query['of']) ?? shown[0]
  if (tab === undefined) return null
  const { name, content: Content } = tab
  const mautic = query['mautic'] ?? ''
  return (
    <Page title={texts.title}>
      <p class="quiet">{texts.intro}</p>
      <nav class="tabs" aria-label={texts.title}>
        {shown.map((each) => (
          <a
            key={each.name}
            class="tab"
            href={withQuery('/assignments', { of: each.name, mautic })}
            aria-current={each.name === name ? 'page' : undefined}
          >
            {texts.tabs[each.name]}
          </a>
        ))}
      </nav>
      <div class="toolbar">
        <MauticField
          label={texts.namespace}
          help={mautic === '' ? undefined : texts.namespaceHelp}
          none={mauticNameWords.own}
          value={mautic}
          onValue={(next) => route(withQuery('/assignments', { of: name, mautic: next }))}
        />
      </div>
      <Content key={`${name} ${mautic}`} mautic={mautic} />
    </Page>
  )
}
