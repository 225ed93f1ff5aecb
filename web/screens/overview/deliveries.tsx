import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { readRefusals } from '../../records/refusals.ts'
import { overviewWords } from '../../words/overview.ts'
import { Entry, Part } from './part.tsx'

const readMax = 100

/** The uncertain deliveries that wait for a decision. */
export function UncertainOnes() {
  const texts = overviewWords.uncertain
  return (
    <Part
      texts={texts}
      href={deliveriesHref({ outcome: 'uncertain' })}
      load={async (signal) => {
        const query = { outcome: 'uncertain', limit: readMax }
        return (await ask('GET', '/api/deliveries', { query, signal })).body.deliveries
      }}
      show={({ id, recipient, date, reason, reply }) => (
        <Entry
          key={id}
          name={<a href={`/deliveries/${id}`}>{recipient}</a>}
          end={<Time iso={date} />}
        >
          <p class="quiet small clamp">{reason ?? reply}</p>
        </Entry>
      )}
    />
  )
}

/** The latest refusals, the equal ones as one line with their number. */
export function LatestRefusals() {
  const texts = overviewWords.refusals
  return (
    <Part
      texts={texts}
      href={deliveriesHref({ outcome: 'refused' })}
      load={(signal) => readRefusals({}, signal)}
      show={({ reason, latest, count }) => (
        <Entry
          key={latest.id}
          name={<a href={`/deliveries/${latest.id}`}>{latest.recipient}</a>}
          end={
            <>
              {count > 1 && <strong>{texts.equal(count)}</strong>} <Time iso={latest.date} />
            </>
          }
        >
          <p class="quiet small clamp">{texts.through(latest.transport, reason)}</p>
        </Entry>
      )}
    />
  )
}
