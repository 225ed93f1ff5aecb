import { Time } from '../../design/time.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { formatShare } from '../../words/format.ts'
import { overviewWords } from '../../words/overview.ts'
import { Entry, Part } from './part.tsx'

const texts = overviewWords.failing
const shownMax = 5
/** A transport fails where all of its attempts of the last hour did, or this share of at least `attemptsMin`. */
const attemptsMin = 5
const shareMin = 0.2

type Counted = Body<'GET', '/api/deliveries/transports'>['transports'][number]

interface Failing {
  /** Undefined for the configured default transport. */
  id: number | undefined
  name: string
  /** What fails, in numbers; none where only the last test has failed. */
  counted: Counted | undefined
  reason: string
  date: string | undefined
}

/** The transports that fail now, by the share of their attempts of the last hour, and those whose last test failed. */
export function FailingTransports() {
  return (
    <Part
      title={texts.title}
      href="/transports?lastTest=failed"
      linkText={texts.all}
      load={async (signal) => {
        const [refusing, tested] = await Promise.all([findFailing(signal), findTested(signal)])
        const known = new Set(refusing.map(({ id }) => id))
        return [...refusing, ...tested.filter(({ id }) => !known.has(id))].slice(0, shownMax)
      }}
      none={texts.none}
      show={({ id, name, counted, reason, date }) => (
        <Entry
          key={id}
          name={id === undefined ? name : <a href={`/transports/${id}`}>{name}</a>}
          end={counted === undefined ? <Time iso={date ?? null} /> : <Share counted={counted} />}
        >
          <p class="small fault-text clamp">{reason}</p>
        </Entry>
      )}
    />
  )
}

function Share({ counted: { id, attempted, failingShare } }: { counted: Counted }) {
  const text = texts.share(formatShare(failingShare, 1), attempted)
  const transport = id === null ? { transport: 'default' } : { transportId: String(id) }
  return <a href={deliveriesHref({ outcome: 'deferred,refused', ...transport })}>{text}</a>
}

async function findFailing(signal: AbortSignal): Promise<Failing[]> {
  const { transports } = (await ask('GET', '/api/deliveries/transports', { signal })).body
  return transports
    .filter(
      ({ attempted, failingShare }) =>
        failingShare === 1 || (attempted >= attemptsMin && failingShare >= shareMin),
    )
    .map((counted) => {
      const [fault] = counted.faults
      return {
        id: counted.id ?? undefined,
        name: (counted.id === null ? null : counted.name) ?? texts.byDefault,
        counted,
        reason: fault === undefined ? texts.noReason : texts.fault(fault.text, fault.count),
        date: fault?.lastDate,
      }
    })
}

async function findTested(signal: AbortSignal): Promise<Failing[]> {
  if (!can('multipleTransports:view')) return []
  const query = { lastTest: 'failed', with: 'lastTest', published: 1, limit: shownMax }
  const { body } = await ask('GET', '/api/multipleTransports', { query, signal })
  return body.flatMap(({ id, name, lastTest }) =>
    lastTest
      ? [{ id, name, counted: undefined, reason: lastTest.message, date: lastTest.date }]
      : [],
  )
}
