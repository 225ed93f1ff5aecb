import { Period } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { ofBrand } from '../../lib/brand.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { Entry, Part } from '../../records/part.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'

const texts = {
  title: 'Failing now',
  all: 'All transports',
  none: 'No transport fails.',
  noReason: 'The reason is not shown to you.',
  share: (failed: number, attempted: number) =>
    `${formatNumber(failed)} of ${formatNumber(attempted)} failed`,
  fault: (text: string, count: number) =>
    count > 1 ? `${formatNumber(count)} times: ${text}` : text,
} as const

/** The transports that fail now, the latest first. */
export function FailingTransports() {
  return (
    <Part
      texts={texts}
      href="/transports"
      load={async (signal) => {
        const options = { query: ofBrand(), signal }
        const { transports } = (await ask('GET', '/api/deliveries/transports', options)).body
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
