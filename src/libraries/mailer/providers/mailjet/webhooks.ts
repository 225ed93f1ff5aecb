import {
  jsonEvents,
  type Meaning,
  meaningsOf,
  optionalText,
  timeOfSeconds,
} from '../../events/event-fields.ts'
import type { ProviderWebhooks } from '../../events/provider-webhooks.ts'
import { unsignedWebhook } from '../../events/verification.ts'

/** Events that mean the same with every error. */
const meanings = meaningsOf({
  delivered: ['sent'],
  complained: ['spam'],
  unsubscribed: ['unsub'],
})

/** Errors for which Mailjet does not try an address again. */
const undeliverable = new Set([
  'user unknown',
  'mailbox inactive',
  'invalid domain',
  'no mail host',
])

/**
 * Returns what an event means.
 * @see https://dev.mailjet.com/email/guides/webhooks/#possible-values-for-errors
 */
function meaningOf(event: Readonly<Record<string, unknown>>): Meaning {
  const error = (optionalText(event['error']) ?? '').toLowerCase()
  const isHard = event['hard_bounce'] === true
  if (event['event'] === 'blocked') return undeliverable.has(error) ? 'hard' : 'rejected'
  if (event['event'] !== 'bounce') return meanings.get(event['event']) ?? 'ignored'
  // Mailjet tries it again.
  if (error === 'greylisted' && !isHard) return 'deferred'
  return isHard ? 'hard' : 'soft'
}

/** The words of the server, else what the error is about, and which error it is: `domain: invalid domain`. */
function reasonOf(event: Readonly<Record<string, unknown>>): string | null {
  const words = optionalText(event['smtp_reply']) ?? optionalText(event['comment'])
  const error = [event['error_related_to'], event['error']].map(optionalText)
  return words ?? (error.filter((part) => part !== null).join(': ') || null)
}

/**
 * Mailjet's Event API. Mailjet signs nothing.
 * @see https://dev.mailjet.com/email/guides/webhooks/
 */
export const mailjetWebhooks: ProviderWebhooks = {
  ...unsignedWebhook,
  read: jsonEvents((event) => ({
    meaning: meaningOf(event),
    recipient: event['email'],
    providerId: event['MessageID'],
    otherIds: [event['mj_message_id'], event['Message_GUID']],
    at: timeOfSeconds(event['time']),
    reason: reasonOf(event),
    said: [event['error'], event['comment']],
  })),
  steps: (url) => [
    'In Mailjet, open Account, Settings, Event notifications (webhooks).',
    `Endpoint URL, for each of Sent, Bounce, Blocked, Spam and Unsub: ${url}`,
    'Select "Group events", and save.',
  ],
}
