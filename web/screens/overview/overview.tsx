import { Page, Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { overviewWords } from '../../words/overview.ts'
import { EndingLogins } from './ending-logins.tsx'
import { FailingTransports } from './failing-transports.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Outcomes } from './outcomes.tsx'
import { LatestRefusals, UncertainOnes } from './recent-deliveries.tsx'
import { RunningBroadcasts } from './running-broadcasts.tsx'

/** What happens now, and what needs a person. Each part loads by itself, and only what the user may view is there. */
export function OverviewScreen() {
  return (
    <Page title={overviewWords.title}>
      {can('email:view') ? <Parts /> : <p class="quiet">{overviewWords.nothing}</p>}
    </Page>
  )
}

function Parts() {
  const loaded = useData(async (signal) => {
    const query = { limit: 1 }
    const { deliveries } = (await ask('GET', '/api/deliveries', { query, signal })).body
    return { hasDeliveries: deliveries.length > 0 }
  }, [])
  return (
    <Show loaded={loaded}>
      {({ hasDeliveries }) =>
        hasDeliveries ? (
          <>
            <Outcomes />
            <div class="columns parts">
              {can('multipleTransports:view') && <EndingLogins />}
              {can('multipleTransports:view') && <FailingTransports />}
              <UncertainOnes />
              <RunningBroadcasts />
              <LatestRefusals />
            </div>
          </>
        ) : (
          <FirstSteps />
        )
      }
    </Show>
  )
}
