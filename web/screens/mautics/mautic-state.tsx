import { Badge } from '../../design/feedback.tsx'
import type { Tone } from '../../lib/toasts.ts'
import { mauticWords as text } from '../../words/mautics.ts'
import type { Mautic } from './draft.ts'

type State = keyof typeof text.states

const tones: Record<State, Tone> = {
  unpublished: 'neutral',
  unknown: 'accent',
  problem: 'bad',
  reinstalled: 'bad',
  ok: 'good',
}

function stateOf({ isPublished, status }: Mautic): State {
  if (!isPublished) return 'unpublished'
  if (status === undefined) return 'unknown'
  if (status.isReinstalled) return 'reinstalled'
  if (status.problem !== null || (status.webhook?.problem ?? null) !== null) return 'problem'
  return status.dateRead === null ? 'unknown' : 'ok'
}

/** Whether a Mautic can be read. */
export function MauticState({ mautic }: { mautic: Mautic }) {
  const state = stateOf(mautic)
  return <Badge tone={tones[state]}>{text.states[state]}</Badge>
}
