import { Period } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { overviewWords } from '../../words/overview.ts'
import { Entry, Part } from './part.tsx'

const texts = overviewWords.failing
const testedMax = 100

interface Failing {
  /** Undefined for the configured default transport. */
  id: number | undefined
  name: string
  since: string
  /** What fails, in numbers; undefined where only the last test has failed. */
  counted: { attempted: number; failed: number } | undefined
  reason: string
}

/** The transports that fail now, the latest first, and those whose last test failed. */
export function FailingTransports() {
  return (
    <Part
      title={texts.title}
      href="/transports"
      linkText={texts.all}
      load={async (signal) => {
        const [failing, tested] = await Promise.all([findFailing(signal), findTested(signal)])
        const known = new Set(failing.map(({ id }) => id))
        return [...failing, ...tested.filter(({ id }) => !known.has(id))].sort((one, other) =>
          other.since.localeCompare(one.since),
        )
      }}
      none={texts.none}
      show={({ id, name, since, counted, reason }) => (
        <Entry
          key={id}
          name={id === undefined ? name : <a href={`/transports/${id}`}>{name}</a>}
          end={
            <>
              {counted === undefined ? (
                texts.tested
              ) : (
                <a href={hrefOf(id, since)}>{texts.share(counted.failed, counted.attempted)}</a>
              )}{' '}
              <Period since={since} />
            </>
          }
        >
          <p class="small fault-text clamp">{reason}</p>
        </Entry>
      )}
    />
  )
}

function hrefOf(id: number | undefined, since: string): string {
  const transport = id === undefined ? { transport: 'default' } : { transportId: String(id) }
  return deliveriesHref({ outcome: 'deferred,refused', ...transport, from: since })
}

async function findFailing(signal: AbortSignal): Promise<Failing[]> {
  const { transports } = (await ask('GET', '/api/deliveries/transports', { signal })).body
  return transports.flatMap(({ id, name, failing, faults: [fault] }) =>
    failing === null
      ? []
      : {
          id: id ?? undefined,
          name: (id === null ? null : name) ?? texts.byDefault,
          since: failing.since,
          counted: failing,
          reason: fault === undefined ? texts.noReason : texts.fault(fault.text, fault.count),
        },
  )
}

async function findTested(signal: AbortSignal): Promise<Failing[]> {
  if (!can('multipleTransports:view')) return []
  const query = { lastTest: 'failed', with: 'lastTest', published: 1, limit: testedMax }
  const { body } = await ask('GET', '/api/multipleTransports', { query, signal })
  return body.flatMap(({ id, name, lastTest }) =>
    lastTest
      ? [{ id, name, since: lastTest.date, counted: undefined, reason: lastTest.message }]
      : [],
  )
}
