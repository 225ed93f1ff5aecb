import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import type { Delivery } from '../../records/use-deliveries.ts'
import { overviewWords } from '../../words/overview.ts'
import { Entry, Part } from './part.tsx'

const shownMax = 5
const groupedMax = 100

/** The uncertain deliveries that wait for a decision. */
export function UncertainOnes() {
  const texts = overviewWords.uncertain
  return (
    <Part
      title={texts.title}
      href={deliveriesHref({ outcome: 'uncertain' })}
      linkText={texts.all}
      load={async (signal) => {
        const query = { outcome: 'uncertain', limit: shownMax }
        return (await ask('GET', '/api/deliveries', { query, signal })).body.deliveries
      }}
      none={texts.none}
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

/** Refusals with the same sentence through the same transport. */
interface Fault {
  reason: string
  latest: Delivery
  count: number
}

/** The latest refusals, the equal ones as one line with their number. */
export function LatestRefusals() {
  const texts = overviewWords.refusals
  return (
    <Part
      title={texts.title}
      href={deliveriesHref({ outcome: 'refused' })}
      linkText={texts.all}
      load={async (signal) => {
        const query = { outcome: 'refused', limit: groupedMax }
        const { deliveries } = (await ask('GET', '/api/deliveries', { query, signal })).body
        return groupFaults(deliveries).slice(0, shownMax)
      }}
      none={texts.none}
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

/** Groups deliveries, the newest first, by transport and sentence: addresses and numbers in it do not count. */
function groupFaults(deliveries: readonly Delivery[]): Fault[] {
  const groups = new Map<string, Fault>()
  for (const latest of deliveries) {
    const reason = latest.reason ?? latest.reply ?? ''
    // By words, so that a long one without an address is read once.
    const same = reason.replace(/\S+/g, (word) =>
      word.includes('@') ? '…' : word.replace(/\d{4,}|[\da-f]{8,}/gi, '…'),
    )
    const key = `${latest.transportId} ${same}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { reason, latest, count: 1 })
    else group.count += 1
  }
  return [...groups.values()]
}
