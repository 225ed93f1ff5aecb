import { eventTypeNames } from '../../../src/core/published/event-types.ts'
import { Badge } from '../../design/feedback.tsx'
import type { Schema } from '../../lib/api.ts'
import type { Tone } from '../../lib/toasts.ts'
import { webhookWords as text } from '../../words/webhooks.ts'

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

export type Webhook = Schema<'Webhook'>

export type Draft = ReturnType<typeof draftOf>

/** The events that are for a person rather than for a program. */
const alerts = eventTypeNames.filter((type) => !/^(delivery|suppression)\./.test(type))

export function draftOf(webhook: Webhook | undefined) {
  const events: readonly string[] = webhook?.events ?? alerts
  return {
    name: webhook?.name ?? '',
    format: webhook?.format ?? 'standard',
    url: webhook?.url ?? '',
    events,
    isPublished: webhook?.isPublished ?? true,
  }
}

export function inputOf({ url, events, ...draft }: Draft) {
  return { ...draft, events: [...events], url: url.trim() }
}
