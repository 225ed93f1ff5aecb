import { Period } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { words } from '../../words/common.ts'
import { overviewWords } from '../../words/overview.ts'
import { Entry, Part } from './part.tsx'

const texts = overviewWords.failing

/** The transports that fail now, the latest first. */
export function FailingTransports() {
  return (
    <Part
      texts={texts}
      href="/transports"
      load={async (signal) => {
        const { transports } = (await ask('GET', '/api/deliveries/transports', { signal })).body
        return transports.flatMap(({ failing, ...each }) =>
          failing ? { ...each, ...failing } : [],
        )
      }}
      show={({ id, name, since, failed, attempted, faults: [fault] }) => {
        const transport = id === null ? { transport: 'default' } : { transportId: String(id) }
        const href = deliveriesHref({ outcome: 'deferred,refused', ...transport, from: since })
        return (
          <Entry
            key={id}
            name={id === null ? words.defaultTransport : <a href={`/transports/${id}`}>{name}</a>}
            end={
              <>
                <a href={href}>{texts.share(failed, attempted)}</a> <Period since={since} />
              </>
            }
          >
            <p class="small fault-text clamp">
              {fault === undefined ? texts.noReason : texts.fault(fault.text, fault.count)}
            </p>
          </Entry>
        )
      }}
    />
  )
}
