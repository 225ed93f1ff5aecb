import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import type { Delivery } from '../../records/use-deliveries.ts'
import { overviewWords } from '../../words/overview.ts'
import { Part, useFresh } from './part.tsx'

const texts = overviewWords
const limit = 5

function useLatest(outcome: 'refused' | 'uncertain') {
  return useFresh(async (signal) => {
    const query = { outcome, limit }
    return (await ask('GET', '/api/deliveries', { query, signal })).body.deliveries
  })
}

/** The uncertain deliveries that wait for a decision. */
export function UncertainOnes() {
  return (
    <Part
      title={texts.uncertain.title}
      href="/deliveries?outcome=uncertain"
      linkText={texts.uncertain.all}
      loaded={useLatest('uncertain')}
      none={texts.uncertain.none}
      show={(delivery) => <Entry key={delivery.id} delivery={delivery} />}
    />
  )
}

/** The latest refusals, with their reasons. */
export function LatestRefusals() {
  return (
    <Part
      title={texts.refusals.title}
      href="/deliveries?outcome=refused"
      linkText={texts.refusals.all}
      loaded={useLatest('refused')}
      none={texts.refusals.none}
      show={(delivery) => <Entry key={delivery.id} delivery={delivery} />}
    />
  )
}

function Entry({ delivery: { id, recipient, date, reason, reply } }: { delivery: Delivery }) {
  return (
    <li>
      <div class="spread">
        <a href={`/deliveries/${id}`}>{recipient}</a>
        <span class="quiet small">
          <Time iso={date} />
        </span>
      </div>
      <p class="quiet small clamp">{reason ?? reply}</p>
    </li>
  )
}
