import { Badge } from '../../design/feedback.tsx'
import type { Tone } from '../../lib/toasts.ts'
import { webhookWords as text } from '../../words/webhooks.ts'
import type { Webhook } from './draft.ts'

const tones: Readonly<Record<keyof typeof text.states, Tone>> = {
  ok: 'good',
  failing: 'warn',
  dead: 'bad',
  unpublished: 'neutral',
}

/** Whether the receiver of a webhook works. */
export function WebhookState({ webhook: { isPublished, state } }: { webhook: Webhook }) {
  const shown = isPublished ? state : 'unpublished'
  return <Badge tone={tones[shown]}>{text.states[shown]}</Badge>
}
