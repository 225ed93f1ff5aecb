import { eventTypeNames } from '../../../src/webhooks/event-types.ts'
import type { Schema } from '../../lib/api.ts'

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
