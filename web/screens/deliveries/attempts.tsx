import { outcomes } from '../../../src/delivery/outcomes.ts'
import { Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import type { Delivery } from '../../records/use-deliveries.ts'
import { deliveryWords } from '../../words/deliveries.ts'
import { formatDuration, formatExactTime } from '../../words/format.ts'

const texts = deliveryWords.one
const limit = 50

/** All attempts to deliver the same message to the same recipient, the first one first. */
export function Attempts({ delivery }: { delivery: Delivery }) {
  const { id, outcome, messageId, recipient } = delivery
  const loaded = useData(
    async (signal) => {
      // Without the address, the attempts of other recipients of the message would look the same.
      if (messageId === null || !can('contact:view')) return [delivery]
      const query = { messageId, recipient, limit }
      const { deliveries } = (await ask('GET', '/api/deliveries', { query, signal })).body
      return deliveries.length === 0 ? [delivery] : deliveries.toReversed()
    },
    [id, outcome],
  )
  return (
    <section class="card" aria-labelledby="attempts">
      <h2 id="attempts">{texts.attempts}</h2>
      <Show loaded={loaded}>
        {(attempts) => (
          <ol class="timeline">
            {attempts.map((attempt) => (
              <Attempt key={attempt.id} attempt={attempt} isThis={attempt.id === id} />
            ))}
          </ol>
        )}
      </Show>
    </section>
  )
}

function Attempt({ attempt, isThis }: { attempt: Delivery; isThis: boolean }) {
  const { id, date, durationMs, outcome, transportId, transport, member, reply, reason } = attempt
  const time = <time dateTime={date}>{formatExactTime(date)}</time>
  return (
    <li data-tone={outcomes[outcome].tone} aria-current={isThis ? 'true' : undefined}>
      <div class="spread">
        <span class="row">
          {isThis ? time : <a href={`/deliveries/${id}`}>{time}</a>}
          <OutcomeBadge outcome={outcome} />
        </span>
        {durationMs !== null && <span class="quiet small">{formatDuration(durationMs)}</span>}
      </div>
      {transport !== null && (
        <p>
          {transportId === null ? (
            transport
          ) : (
            <a href={`/transports/${transportId}`}>{transport}</a>
          )}
          {member !== null && <span class="mono quiet"> {member}</span>}
        </p>
      )}
      {reply !== null && <pre>{reply}</pre>}
      {reply === null && !isThis && <p class="small">{reason}</p>}
    </li>
  )
}
