import { outcomes } from '../../src/delivery/outcomes.ts'
import { Badge } from '../design/feedback.tsx'
import { words } from '../words/common.ts'
import type { Outcome } from './delivery-filters.ts'

/** The outcome of a delivery: its label, colour and meaning are those of the table of outcomes. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const { tone, meaning } = outcomes[outcome]
  return (
    <Badge tone={tone} icon={outcome} outcome={outcome} title={meaning}>
      {words.outcomes[outcome]}
    </Badge>
  )
}
