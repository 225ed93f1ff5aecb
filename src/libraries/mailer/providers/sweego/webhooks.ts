import {
  jsonEvents,
  meaningsOf,
  memberOf,
  optionalText,
  timeOfDate,
} from '../../events/event-fields.ts'
import type { ProviderWebhooks } from '../../events/provider-webhooks.ts'
import { standardWebhook } from '../../events/verification.ts'

/** Sweego writes some with a hyphen. */
const meanings = meaningsOf({
  delivered: ['delivered'],
  soft: ['soft_bounce'],
  hard: ['hard_bounce'],
  complained: ['complaint'],
  unsubscribed: ['list_unsub'],
})

/**
 * Sweego's webhooks.
 * @see https://learn.sweego.io/docs/webhooks/payload
 * @see https://learn.sweego.io/docs/webhooks/webhook_signature
 */
export const sweegoWebhooks: ProviderWebhooks = {
  ...standardWebhook({
    provider: 'Sweego',
    label: 'webhook secret',
    place: 'Webhooks, the webhook',
  }),
  read: jsonEvents(({ channel = 'email', ...event }) => {
    const name = (optionalText(event['event_type']) ?? '').replaceAll('-', '_')
    return {
      meaning: channel === 'email' ? (meanings.get(name) ?? 'ignored') : 'ignored',
      recipient: event['recipient'],
      providerId: memberOf(event, 'headers', 'x-transaction-id') ?? event['transaction_id'],
      // The API answers with the transaction, and has an id for each recipient of it.
      otherIds: [
        event['transaction_id'],
        event['swg_uid'],
        memberOf(event, 'headers', 'x-swg-uid'),
      ],
      at: timeOfDate(event['timestamp']),
      reason: event['details'] ?? event['status'] ?? event['response_code'],
      said: [event['status'], event['response_code']],
      eventId: event['event_id'],
    }
  }),
  steps: (url) => [
    'In Sweego, open Webhooks, and add a webhook for email.',
    `URL: ${url}`,
    'Select Delivered, Soft bounce, Hard bounce, Complaint and List unsubscribe, and save.',
    'Copy the secret of the webhook, and enter it here.',
  ],
}
