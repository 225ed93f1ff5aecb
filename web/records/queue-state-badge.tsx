import { Badge } from '../design/feedback.tsx'
import { Period } from '../design/time.tsx'
import type { Schema } from '../lib/api.ts'
import type { Tone } from '../lib/toasts.ts'
import { queueWords } from '../words/queue.ts'

type QueueGroup = Schema<'QueueGroup'>
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

/** Why the messages of a transport wait: the limit that is reached, or its last failure. */
export function WhyWaiting({ group: { limit, availableAt, problem } }: { group: QueueGroup }) {
  if (limit !== null)
    return (
      <p class="small">
        {queueWords.waitsFor} <a href={`/limits/${limit.id}`}>{limit.name}</a>{' '}
        <Period until={availableAt} />
      </p>
    )
  if (problem === null) return null
  return (
    <p class="small fault-text clamp" title={problem}>
      {problem}
    </p>
  )
}

/** The state of a recipient in the queue. */
export function QueueStateBadge({ state }: { state: QueueState }) {
  return (
    <Badge tone={tones[state]} icon={icons[state]} title={queueWords.stateHelp[state]}>
      {queueWords.states[state]}
    </Badge>
  )
}
