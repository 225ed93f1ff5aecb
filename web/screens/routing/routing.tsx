import { Page } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { routingWords } from '../../words/routing.ts'
import { Drill } from './drill.tsx'
import { Explain } from './explain.tsx'

const texts = routingWords

/** Which way a message goes, and which way it would go without some transports. */
export function RoutingScreen() {
  const { query } = useAddress()
  const mayExplain = can('email:view') && can('contact:view')
  const isDrill = query['view'] === 'drill' || !mayExplain
  const tab = (name: keyof typeof texts.tabs, isShown: boolean) => (
    <a
      class="tab"
      href={name === 'drill' ? '/routing?view=drill' : '/routing'}
      aria-current={isShown ? 'page' : undefined}
    >
      {texts.tabs[name]}
    </a>
  )
  return (
    <Page title={texts.title}>
      <nav class="tabs" aria-label={texts.title}>
        {mayExplain && tab('explain', !isDrill)}
        {tab('drill', isDrill)}
      </nav>
      {isDrill ? <Drill /> : <Explain />}
    </Page>
  )
}
