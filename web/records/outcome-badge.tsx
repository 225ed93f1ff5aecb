import { type DeliveryEventType, deliveryEvents } from '../../src/core/delivery/events.ts'
import { outcomes } from '../../src/core/delivery/outcomes.ts'
import { Badge } from '../design/feedback.tsx'
import type { Outcome } from './delivery-filters.ts'

/** The outcome of a delivery: its label, colour and meaning are those of the table of outcomes. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const { label, tone, meaning } = outcomes[outcome]
  return (
    <Badge tone={tone} icon={outcome} outcome={outcome} title={meaning}>
      {label}
    </Badge>
  )
}

/** What happened after a server accepted a message, as the table of events has it. */
export function EventBadge({ event }: { event: DeliveryEventType }) {
  const { label, tone, meaning } = deliveryEvents[event]
  return (
    <Badge tone={tone} icon={event} title={meaning}>
      {label}
    </Badge>
  )
}

/** The outcome of a delivery, and the gravest event after it. */
export function DeliveryState({
  delivery: { outcome, event },
}: {
  delivery: { outcome: Outcome; event: DeliveryEventType | null }
}) {
  return (
    <span class="row">
      <OutcomeBadge outcome={outcome} />
      {event !== null && <EventBadge event={event} />}
    </span>
  )
}
