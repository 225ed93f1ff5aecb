import { Page, Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { words } from '../../words/common.ts'
import { FirstSteps } from './first-steps.tsx'
import { Outcomes } from './outcomes.tsx'

/** What happens now, and what needs a person. Only the parts that the user may view are there. */
export default function OverviewScreen() {
  return (
    <Page title={words.places.overview}>
      {can('email:view') ? (
        <Parts />
      ) : (
        <p class="quiet">The screens that you may view are in the menu.</p>
      )}
    </Page>
  )
}

function Parts() {
  const loaded = useData(isInUse, [])
  return <Show loaded={loaded}>{(inUse) => (inUse ? <Outcomes /> : <FirstSteps />)}</Show>
}

/** Whether something was sent, waits, or is connected: before that, only the first steps are useful. */
async function isInUse(signal: AbortSignal): Promise<boolean> {
  const query = { limit: 1 }
  const { deliveries } = (await ask('GET', '/api/deliveries', { query, signal })).body
  if (deliveries.length > 0) return true
  const [queue, mautics] = await Promise.all([
    can('queue:view') ? ask('GET', '/api/queue', { signal }) : undefined,
    can('api:view') ? ask('GET', '/api/mautics', { query, signal }) : undefined,
  ])
  return (queue?.body.groups.length ?? 0) + (mautics?.body.total ?? 0) > 0
}
