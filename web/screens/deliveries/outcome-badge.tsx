import { Badge, type Tone } from '../../design/feedback.tsx'
import { words } from '../../words.ts'
import type { Outcome } from './filters.ts'

const tones: Record<Outcome, Tone> = {
  accepted: 'good',
  refused: 'bad',
  uncertain: 'warn',
  suppressed: 'neutral',
  started: 'accent',
  expired: 'bad',
  cancelled: 'neutral',
}

/** The outcome of a delivery. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return <Badge tone={tones[outcome]}>{words.outcomes[outcome]}</Badge>
}
