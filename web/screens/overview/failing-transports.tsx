import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import type { Delivery } from '../../records/use-deliveries.ts'
import { words } from '../../words/common.ts'
import { overviewWords } from '../../words/overview.ts'
import { Entry, Part } from './part.tsx'

const texts = overviewWords.failing
const limit = 5
const refusalsMax = 100
const hourMs = 3_600_000

interface Failing {
  id: number
  name: string
  date: string
  reason: string
}

/** The transports that could not send in the last hour, or whose last test failed; each with the latest reason. */
export function FailingTransports() {
  return (
    <Part
      title={texts.title}
      href="/transports?lastTest=failed"
      linkText={texts.all}
      load={async (signal) => {
        const [refused, tested] = await Promise.all([findRefused(signal), findTested(signal)])
        const byId = new Map([...tested, ...refused].map((each) => [each.id, each]))
        return [...byId.values()]
          .sort((one, other) => Date.parse(other.date) - Date.parse(one.date))
          .slice(0, limit)
      }}
      none={texts.none}
      show={({ id, name, date, reason }) => (
        <Entry key={id} name={<a href={`/transports/${id}`}>{name}</a>} end={<Time iso={date} />}>
          <p class="small fault-text clamp">{reason}</p>
        </Entry>
      )}
    />
  )
}

async function findRefused(signal: AbortSignal): Promise<Failing[]> {
  const from = new Date(Date.now() - hourMs).toISOString()
  const query = { outcome: 'deferred,refused', from, limit: refusalsMax }
  const { deliveries } = (await ask('GET', '/api/deliveries', { query, signal })).body
  const found = deliveries.filter(isOfTransport).flatMap((delivery) => {
    const { transportId: id, transport, date, reason } = delivery
    if (id === null) return []
    return [{ id, name: transport ?? words.none, date, reason: reason ?? texts.noReason }]
  })
  // The newest comes first, so the last one that is set is kept.
  return [...new Map(found.toReversed().map((each) => [each.id, each])).values()]
}

/** Replies about the log-in or the service, not about a recipient (RFC 5321 and RFC 4954). */
const serviceReply = /^(?:421|432|454|530|534|535|538)\b/

/** Whether the transport refused, rather than the recipient's server. */
function isOfTransport({ reply }: Delivery): boolean {
  return reply === null || serviceReply.test(reply)
}

async function findTested(signal: AbortSignal): Promise<Failing[]> {
  const query = { lastTest: 'failed', with: 'lastTest', published: 1, limit }
  const { body } = await ask('GET', '/api/multipleTransports', { query, signal })
  return body.flatMap(({ id, name, lastTest }) =>
    lastTest ? [{ id, name, date: lastTest.date, reason: lastTest.message }] : [],
  )
}
