import { Page, RecordLayout, Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { overviewWords } from '../../words/overview.ts'
import { LatestRefusals, UncertainOnes } from './deliveries.tsx'
import { FailingTransports } from './failing-transports.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Outcomes } from './outcomes.tsx'
import {
  EndingLogins,
  Findings,
  LimitsOfToday,
  MauticStates,
  QueueByTransport,
  RunningBroadcasts,
} from './state.tsx'

/** What happens now, and what needs a person. The parts load separately, and only those that the user may view are there. */
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
  const viewsTransports = can('multipleTransports:view')
  return (
    <Show loaded={loaded}>
      {({ hasDeliveries }) =>
        hasDeliveries ? (
          <RecordLayout
            side={
              <>
                <UncertainOnes />
                {viewsTransports && <EndingLogins />}
                {can('*') && <Findings />}
                {viewsTransports && <LimitsOfToday />}
                {can('api:view') && <MauticStates />}
                <RunningBroadcasts />
              </>
            }
          >
            <Outcomes />
            {viewsTransports && <FailingTransports />}
            {can('queue:view') && <QueueByTransport />}
            <LatestRefusals />
          </RecordLayout>
        ) : (
          <FirstSteps />
        )
      }
    </Show>
  )
}
