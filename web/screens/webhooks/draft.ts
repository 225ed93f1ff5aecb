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
    emailTo: webhook?.emailTo ?? '',
    /** Id; empty for the default. */
    transportId: String(webhook?.transportId ?? ''),
    events,
    isPublished: webhook?.isPublished ?? true,
  }
}

/** What is saved of a draft: only what its format uses. */
export function inputOf({ url, emailTo, transportId, events, ...draft }: Draft) {
  const isEmail = draft.format === 'email'
  return {
    ...draft,
    events: [...events],
    url: isEmail ? null : url.trim(),
    emailTo: isEmail ? emailTo.trim() : null,
    transportId: isEmail && transportId !== '' ? Number(transportId) : null,
  }
}
