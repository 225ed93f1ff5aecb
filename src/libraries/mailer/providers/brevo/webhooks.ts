import { jsonEvents, meaningsOf, timeOfSeconds } from '../../events/event-fields.ts'
import { type ProviderWebhooks, WebhookError } from '../../events/provider-webhooks.ts'
import { unsignedWebhook } from '../../events/verification.ts'

/** Without `request`, opens, clicks and changes of lists, which are ignored. */
const meanings = meaningsOf({
  delivered: ['delivered'],
  deferred: ['deferred'],
  hard: ['hard_bounce'],
  soft: ['soft_bounce'],
  // Brevo did not try these.
  rejected: ['blocked', 'invalid_email', 'error'],
  complained: ['spam', 'complaint'],
  unsubscribed: ['unsubscribed', 'unsubscribe'],
})

/**
 * Brevo's transactional webhooks. Brevo signs nothing.
 * @see https://developers.brevo.com/docs/transactional-webhooks
 */
export const brevoWebhooks: ProviderWebhooks = {
  ...unsignedWebhook,
  read: jsonEvents((event) => {
    if (Array.isArray(event['items']))
      throw new WebhookError(
        'This is an inbound email of Brevo. Enter the address in Brevo under Transactional, Settings, Webhook, and not for inbound parsing.',
      )
    const { ts_epoch: milliseconds, ts_event: seconds } = event
    const meaning = meanings.get(event['event']) ?? 'ignored'
    return {
      meaning,
      recipient: event['email'],
      providerId: event['message-id'],
      // The others are in the time zone of the account.
      at: timeOfSeconds(typeof milliseconds === 'number' ? milliseconds / 1000 : seconds),
      // A request has the reason "sent".
      reason: meaning === 'ignored' ? null : event['reason'],
    }
  }),
  steps: (url) => [
    'In Brevo, open Transactional, Settings, Webhook, and choose "Add a new webhook".',
    `URL to call: ${url}`,
    'Select Delivered, Deferred, Soft bounced, Hard bounced, Blocked, Invalid email, Error, Complaint and Unsubscribed.',
    'Save.',
  ],
}
