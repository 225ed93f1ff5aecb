import { Badge } from '../design/feedback.tsx'
import type { Schema } from '../lib/api.ts'
import type { Tone } from '../lib/toasts.ts'
import { queueWords } from '../words/queue.ts'

type QueueState = Schema<'QueuedMessage'>['state']

const tones: Record<QueueState, Tone> = {
  queued: 'neutral',
  deferred: 'warn',
  sending: 'accent',
  held: 'warn',
  uncertain: 'warn',
}

const icons = {
  queued: 'queue',
  deferred: 'deferred',
  sending: 'started',
  held: 'held',
  uncertain: 'uncertain',
} as const

/** The state of a recipient in the queue. */
export function QueueStateBadge({ state }: { state: QueueState }) {
  return (
    <Badge tone={tones[state]} icon={icons[state]} title={queueWords.stateHelp[state]}>
      {queueWords.states[state]}
    </Badge>
  )
}
