import { Badge } from '../../design/feedback.tsx'
import type { Schema } from '../../lib/api.ts'
import type { Tone } from '../../lib/toasts.ts'
import { keyWords as text } from '../../words/dkim-keys.ts'

export type DkimKey = Schema<'DkimKey'>

export const keyTones: Readonly<Record<keyof typeof text.states, Tone>> = {
  waiting: 'warn',
  active: 'good',
  doubtful: 'bad',
  unpublished: 'neutral',
}

/** What is shown as the state of a key. */
export function shownState({ isPublished, isActive, problem }: DkimKey) {
  if (!isPublished) return 'unpublished'
  if (!isActive) return 'waiting'
  return problem === null ? 'active' : 'doubtful'
}

/** Whether messages are signed with a key. */
export function KeyState({ dkimKey }: { dkimKey: DkimKey }) {
  const shown = shownState(dkimKey)
  return (
    <Badge tone={keyTones[shown]} title={text.meanings[shown]}>
      {text.states[shown]}
    </Badge>
  )
}
