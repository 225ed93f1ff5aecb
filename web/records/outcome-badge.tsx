import { outcomes } from '../../src/delivery/outcomes.ts'
import { Badge } from '../design/feedback.tsx'
import { words } from '../words/common.ts'
import type { Outcome } from './delivery-filters.ts'

/** The outcome of a delivery. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return <Badge tone={outcomes[outcome].tone}>{words.outcomes[outcome]}</Badge>
}
