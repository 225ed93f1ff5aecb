import { ListViews } from '../../design/list-views.tsx'
import { Page } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { words } from '../../words/common.ts'
import { Drill } from './drill.tsx'
import { Explain } from './explain.tsx'

/** Which transport a message is sent through, and through which without some of them. */
export default function RoutingScreen() {
  const view = useAddress().query['view']
  const mayExplain = can('email:view') && can('contact:view')
  const isDrill = view === 'drill' || !mayExplain
  const [explain, drill] = ['Explain a route', 'Fire drill']
  return (
    <Page title={words.places.routing}>
      <ListViews
        label={words.places.routing}
        path="/routing"
        shown={isDrill ? 'drill' : ''}
        views={mayExplain ? { '': explain, drill } : { drill }}
      />
      {isDrill ? <Drill /> : <Explain />}
    </Page>
  )
}
