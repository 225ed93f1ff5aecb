import { eventTypeNames } from '../../../src/core/published/event-types.ts'
import { Badge } from '../../design/feedback.tsx'
import type { Schema } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'

const states = {
  ok: { label: 'Works', tone: 'good' },
  failing: { label: 'Failing', tone: 'warn' },
  dead: { label: 'Stopped', tone: 'bad' },
  unpublished: { label: 'Unpublished', tone: 'neutral' },
} as const

export function WebhookState({ webhook: { isPublished, state } }: { webhook: Webhook }) {
  const { label, tone } = states[isPublished ? state : 'unpublished']
  return <Badge tone={tone}>{label}</Badge>
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
    brand: brandDraft(webhook),
    isPublished: webhook?.isPublished ?? true,
  }
}

export function inputOf({ url, events, brand, ...draft }: Draft) {
  return { ...draft, ...brandInput(brand), events: [...events], url: url.trim() }
}
