import { isObject } from '../../api/json.ts'
import {
  createEvent,
  type Meaning,
  meaningsOf,
  optionalText,
  timeOfSeconds,
} from '../../events/event-fields.ts'
import {
  type ProviderEvent,
  type ProviderWebhooks,
  WebhookError,
} from '../../events/provider-webhooks.ts'
import { bytesOf, parseJson, parseJsonText } from '../../events/read-body.ts'
import { bodySignature } from '../../events/verification.ts'

/** Events that mean the same with every reason. */
const meanings = meaningsOf({
  delivered: ['delivery'],
  // Mailtrap tries it ten more times.
  deferred: ['soft bounce'],
  hard: ['bounce'],
  complained: ['spam'],
  unsubscribed: ['unsubscribe'],
})

/** Mailtrap waits for the account, and the message may be rejected at the end. */
const ofAccount = /\baccount\b|\blimit\b|\bplan\b|billing/i

/**
 * Returns what an event means.
 * @see https://docs.mailtrap.io/email-api-smtp/analytics/statuses-and-events
 */
function meaningOf(event: Readonly<Record<string, unknown>>): Meaning {
  const reason = optionalText(event['reason']) ?? ''
  if (event['event'] === 'suspension') return ofAccount.test(reason) ? 'rejected' : 'deferred'
  if (event['event'] !== 'reject') return meanings.get(event['event']) ?? 'ignored'
  return /suppression list/i.test(reason) && /\bbounce/i.test(reason) ? 'hard' : 'rejected'
}

function readEvent(event: Readonly<Record<string, unknown>>): ProviderEvent {
  return createEvent({
    meaning: meaningOf(event),
    recipient: event['email'],
    providerId: event['message_id'],
    at: timeOfSeconds(event['timestamp']),
    reason: event['response'] ?? reasonOf(event),
    said: ['bounce_category', 'response_code', 'reason'].map((name) => event[name]),
    eventId: event['event_id'],
  })
}

/** Mailtrap writes "unknown" and "other" for no reason. */
function reasonOf({ reason }: Readonly<Record<string, unknown>>): unknown {
  return reason === 'unknown' || reason === 'other' ? null : reason
}

/** Reads the objects of a request: an object with a list, or an object in each line. */
function objectsOfBody(body: Uint8Array): Readonly<Record<string, unknown>>[] {
  const values = isJsonLines(body) ? linesOf(body).map(parseJsonText) : [parseJson(body)]
  return values.flatMap(eventsOf).map((value) => (isObject(value) ? value : {}))
}

/** The first line is an object. */
function isJsonLines(body: Uint8Array): boolean {
  const bytes = bytesOf(body)
  const line = bytes.toString('latin1', 0, bytes.indexOf('\n') + 1)
  return line.startsWith('{') && line.trimEnd().endsWith('}')
}

function linesOf(body: Uint8Array): string[] {
  const lines = bytesOf(body).toString('utf8').split('\n')
  return lines.filter((line) => line.trim() !== '')
}

function eventsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (isObject(value) && Array.isArray(value['events'])) return value['events']
  if (isObject(value) && 'event' in value) return [value]
  throw new WebhookError(
    'The body has no "events". In Mailtrap, choose a webhook for email sending, in JSON or JSON Lines.',
  )
}

/**
 * Mailtrap's webhooks.
 * @see https://docs.mailtrap.io/email-api-smtp/advanced/webhooks
 */
export const mailtrapWebhooks: ProviderWebhooks = {
  ...bodySignature('mailtrap-signature', {
    provider: 'Mailtrap',
    label: 'signing secret',
    place: 'Settings, Webhooks, the webhook',
  }),
  read: async (body) => objectsOfBody(body).map(readEvent),
  steps: (url) => [
    'In Mailtrap, open Settings, Webhooks, and choose "Create New Webhook".',
    `Webhook URL: ${url}`,
    'Payload format: JSON. Area: Email Sending. Choose the sending stream and the domain of this transport.',
    'Select Delivery, Bounce, Soft bounce, Suspension, Reject, Spam complaint and Unsubscribe, and save.',
    'Copy the signing secret of the webhook, and enter it here.',
  ],
}
