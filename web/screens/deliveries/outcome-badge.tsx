import { outcomes } from '../../../src/delivery/outcomes.ts'
import { Badge } from '../../design/feedback.tsx'
import { words } from '../../words.ts'
import type { Outcome } from './filters.ts'

/** The outcome of a delivery. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return <Badge tone={outcomes[outcome].tone}>{words.outcomes[outcome]}</Badge>
}
