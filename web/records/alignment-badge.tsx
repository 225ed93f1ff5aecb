import { Badge } from '../design/feedback.tsx'
import type { IconName } from '../design/icons.ts'
import type { Schema } from '../lib/api.ts'
import type { Tone } from '../lib/toasts.ts'
import { alignmentWords as text } from '../words/alignment.ts'

/** Whether receivers will believe a From domain through a transport; null where it was not checked. */
export type Alignment = Schema<'ListedSender'>['transports'][number]['verdict']

type Shown = keyof typeof text.states

const shownOf = (verdict: Alignment): Shown => verdict ?? 'unchecked'

/** The tone of each state. */
export const alignmentTones: Readonly<Record<Shown, Tone>> = {
  aligned: 'good',
  likely: 'accent',
  notAligned: 'bad',
  cannotTell: 'neutral',
  unchecked: 'neutral',
}

const icons: Readonly<Partial<Record<Shown, IconName>>> = { cannotTell: 'uncertain' }

/** The alignment in words. */
export function AlignmentBadge({ verdict }: { verdict: Alignment }) {
  const shown = shownOf(verdict)
  return (
    <Badge tone={alignmentTones[shown]} icon={icons[shown]} title={text.meanings[shown]}>
      {text.states[shown]}
    </Badge>
  )
}
