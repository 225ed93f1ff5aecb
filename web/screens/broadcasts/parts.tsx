import { deliveryEvents, eventCounters } from '../../../src/delivery/events.ts'
import { broadcastCounters, outcomes } from '../../../src/delivery/outcomes.ts'
import { Badge } from '../../design/feedback.tsx'
import type { Figure } from '../../design/figures.tsx'
import type { Schema } from '../../lib/api.ts'
import type { Tone } from '../../lib/toasts.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { broadcastWords as text } from '../../words/broadcasts.ts'
import { words } from '../../words/common.ts'
import { eventLabels } from '../../words/events.ts'
import { formatRate } from '../../words/format.ts'

export type Broadcast = Schema<'Broadcast'>

/** The name of its email, which may be deleted. */
export function emailNameOf({ email: { id, name, isDeleted } }: Broadcast): string {
  return isDeleted ? text.deletedEmail(id, name) : name
}

const tones: Record<Broadcast['state'], Tone> = {
  running: 'accent',
  paused: 'warn',
  cancelled: 'neutral',
  done: 'good',
}

/** Whether a broadcast runs; one that is done but did not reach all is no success, and says so. */
export function StateBadge({ broadcast: { state, refused, uncertain } }: { broadcast: Broadcast }) {
  if (state === 'done' && refused + uncertain > 0)
    return (
      <Badge tone="warn" title={text.partlyHelp(refused, uncertain)}>
        {text.partly}
      </Badge>
    )
  return (
    <Badge tone={tones[state]} title={text.stateHelp[state]}>
      {text.states[state]}
    </Badge>
  )
}

/** How much of a broadcast has which outcome. */
export function BroadcastBar({ broadcast }: { broadcast: Broadcast }) {
  const { total } = broadcast
  const settled = broadcastCounters.reduce((sum, each) => sum + broadcast[each], 0)
  const label = text.bar(settled, total)
  return (
    <div class="outcome-bar" role="img" aria-label={label} title={label}>
      {broadcastCounters.map((name) => (
        <i
          key={name}
          data-outcome={name}
          style={{ width: `${total === 0 ? 0 : (100 * broadcast[name]) / total}%` }}
        />
      ))}
    </div>
  )
}

/** Its outcomes with their numbers, for `<Figures>`. */
export function figuresOf(broadcast: Broadcast) {
  return broadcastCounters.map((each) => ({
    label: words.outcomes[each],
    count: broadcast[each],
    tone: outcomes[each].tone,
  }))
}

/** What happened after servers accepted its messages, with the share of those, for `<Figures>`; nothing where nothing is known. */
export function eventFiguresOf(broadcast: Broadcast): Figure[] {
  const { id, accepted } = broadcast
  if (eventCounters.every((each) => broadcast[each] === 0)) return []
  return eventCounters.map((event) => ({
    label: eventLabels[event],
    count: broadcast[event],
    tone: deliveryEvents[event].tone,
    href: deliveriesHref({ broadcastId: String(id), event }),
    note: formatRate(broadcast[event], accepted),
  }))
}

/** How many contacts are left out, and why; nothing where none is. */
export function Skipped({ skipped }: { skipped: Broadcast['skipped'] }) {
  const reasons = Object.entries(text.skippedReasons) as [keyof typeof skipped, string][]
  const present = reasons.filter(([name]) => skipped[name] > 0)
  if (present.length === 0) return null
  return (
    <ul>
      {present.map(([name, reason]) => (
        <li key={name}>{text.leftOut(skipped[name], reason)}</li>
      ))}
    </ul>
  )
}
