import { Badge } from '../design/feedback.tsx'
import type { Schema } from '../lib/api.ts'
import type { Tone } from '../lib/toasts.ts'
import { mauticWords } from '../words/mautics.ts'

const { states, webhook: webhookText } = mauticWords

type Mautic = Schema<'Mautic'>
type State = keyof typeof states

const tones: Record<State, Tone> = {
  unpublished: 'neutral',
  unknown: 'accent',
  problem: 'bad',
  reinstalled: 'bad',
  silent: 'accent',
  ok: 'good',
}

function stateOf({ isPublished, status }: Mautic): State {
  if (!isPublished) return 'unpublished'
  if (status === undefined) return 'unknown'
  if (status.isReinstalled) return 'reinstalled'
  if (status.problem !== null || (status.webhook?.problem ?? null) !== null) return 'problem'
  if (status.dateRead === null) return 'unknown'
  return status.dateLastMessage === null ? 'silent' : 'ok'
}

/** Whether a Mautic can be read, and sends: it is connected once it has. */
export function MauticState({ mautic }: { mautic: Mautic }) {
  const state = stateOf(mautic)
  return <Badge tone={tones[state]}>{states[state]}</Badge>
}

/** Whether a Mautic has a webhook to this Mailyard, and whether it works. */
export function WebhookBadge({ mautic: { status } }: { mautic: Mautic }) {
  const webhook = status?.webhook
  if (!webhook) return <Badge>{webhookText.missing}</Badge>
  const { problem, dateLastChange } = webhook
  if (problem !== null)
    return (
      <Badge tone="bad" title={problem}>
        {webhookText.broken}
      </Badge>
    )
  if (dateLastChange === null) return <Badge>{webhookText.unknown}</Badge>
  return <Badge tone="good">{webhookText.works}</Badge>
}
