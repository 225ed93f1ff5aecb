import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { ofBrand } from '../../lib/brand.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { Entry, Part } from '../../records/part.tsx'
import { readRefusals } from '../../records/refusals.ts'
import { formatNumber } from '../../words/format.ts'

const uncertain = {
  title: 'Waiting for a decision',
  all: 'Decide',
  none: 'No delivery is uncertain.',
} as const

const refusals = {
  through: (transport: string | null, reason: string) =>
    transport === null ? reason : `${transport}: ${reason}`,
  equal: (count: number) => `${formatNumber(count)} alike,`,
  title: 'Latest refusals',
  all: 'All refusals',
  none: 'No message was refused.',
} as const

const readMax = 100

/** The uncertain deliveries that wait for a decision. */
export function UncertainOnes() {
  return (
    <Part
      texts={uncertain}
      href={deliveriesHref({ outcome: 'uncertain' })}
      load={async (signal) => {
        const query = { outcome: 'uncertain', limit: readMax, ...ofBrand() }
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
  return (
    <Part
      texts={refusals}
      href={deliveriesHref({ outcome: 'refused' })}
      load={(signal) => readRefusals(ofBrand(), signal)}
      show={({ reason, latest, count }) => (
        <Entry
          key={latest.id}
          name={<a href={`/deliveries/${latest.id}`}>{latest.recipient}</a>}
          end={
            <>
              {count > 1 && <strong>{refusals.equal(count)}</strong>} <Time iso={latest.date} />
            </>
          }
        >
          <p class="quiet small clamp">{refusals.through(latest.transport, reason)}</p>
        </Entry>
      )}
    />
  )
}
