import { outcomes } from '../../src/core/delivery/outcomes.ts'
import { Card } from '../design/page.tsx'
import { deliveryWords } from '../words/deliveries.ts'
import { formatDuration, formatExactTime } from '../words/format.ts'
import { OutcomeBadge } from './outcome-badge.tsx'
import { TransportLink } from './transports.tsx'
import type { Delivery } from './use-deliveries.ts'

/** The attempts to deliver a message to a recipient, the first one first. */
export function Attempts({
  attempts,
  shownId,
}: {
  attempts: readonly Delivery[]
  /** The one whose page it is. */
  shownId?: number
}) {
  return (
    <Card title={deliveryWords.one.attempts}>
      {attempts.length === 0 ? (
        <p class="quiet">{deliveryWords.one.noAttempts}</p>
      ) : (
        <ol class="timeline">
          {attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} isShown={attempt.id === shownId} />
          ))}
        </ol>
      )}
    </Card>
  )
}

function Attempt({ attempt, isShown }: { attempt: Delivery; isShown: boolean }) {
  const { id, date, durationMs, outcome, transportId, transport, member, reply, reason } = attempt
  const time = <time dateTime={date}>{formatExactTime(date)}</time>
  return (
    <li data-tone={outcomes[outcome].tone} aria-current={isShown ? 'true' : undefined}>
      <div class="spread">
        <span class="row">
          {isShown ? time : <a href={`/deliveries/${id}`}>{time}</a>}
          <OutcomeBadge outcome={outcome} />
        </span>
        {durationMs !== null && <span class="quiet small">{formatDuration(durationMs)}</span>}
      </div>
      {transport !== null && (
        <p>
          <TransportLink id={transportId} name={transport} />
          {member !== null && <span class="mono quiet"> {member}</span>}
        </p>
      )}
      {reply !== null && <pre>{reply}</pre>}
      {reply === null && !isShown && <p class="small">{reason}</p>}
    </li>
  )
}
