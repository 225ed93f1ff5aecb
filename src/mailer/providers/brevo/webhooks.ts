import { createEvent, timeOfSeconds } from '../../events/event-fields.ts'
import type { ProviderEvent } from '../../events/provider-event.ts'
import { type ProviderWebhooks, WebhookError } from '../../events/provider-webhooks.ts'
import { parseJsonObjects } from '../../events/read-body.ts'
import { checkBasicKey, verifyBasic } from '../../events/verification.ts'
import { createWebhook } from '../webhook-api.ts'
import { brevoSetup } from './create-webhook.ts'

type Meaning = Pick<ProviderEvent, 'type' | 'class'>

/** Without `request`, opens, clicks and changes of lists, which are ignored. */
const meanings = new Map<unknown, Meaning>([
  ['delivered', { type: 'delivered', class: null }],
  ['deferred', { type: 'deferred', class: null }],
  ['hard_bounce', { type: 'bounced', class: 'hard' }],
  ['soft_bounce', { type: 'bounced', class: 'soft' }],
  // Brevo did not try these.
  ['blocked', { type: 'rejected', class: null }],
  ['invalid_email', { type: 'rejected', class: null }],
  ['error', { type: 'rejected', class: null }],
  ['spam', { type: 'complained', class: null }],
  ['complaint', { type: 'complained', class: null }],
  ['unsubscribed', { type: 'unsubscribed', class: null }],
  ['unsubscribe', { type: 'unsubscribed', class: null }],
])

const ignored: Meaning = { type: 'ignored', class: null }

function readEvent(event: Readonly<Record<string, unknown>>): ProviderEvent {
  if (Array.isArray(event['items']))
    throw new WebhookError(
      'This is an inbound email of Brevo. Enter the address in Brevo under Transactional, Settings, Webhook, and not for inbound parsing.',
    )
  const { ts_epoch: milliseconds, ts_event: seconds } = event
  const meaning = meanings.get(event['event']) ?? ignored
  return createEvent({
    ...meaning,
    recipient: event['email'],
    providerId: event['message-id'],
    // The others are in the time zone of the account.
    at: timeOfSeconds(typeof milliseconds === 'number' ? milliseconds / 1000 : seconds),
    // A request has the reason "sent".
    reason: meaning === ignored ? null : event['reason'],
  })
}

/**
 * Brevo's transactional webhooks. Brevo signs nothing.
 * @see https://developers.brevo.com/docs/transactional-webhooks
 */
export const brevoWebhooks: ProviderWebhooks = {
  checkKey: checkBasicKey,
  verify: verifyBasic,
  read: async (body) => parseJsonObjects(body).map(readEvent),
  steps: (url) => [
    'In Brevo, open Transactional, Settings, Webhook, and choose "Add a new webhook".',
    `URL to call: ${url}`,
    'Select Delivered, Deferred, Soft bounced, Hard bounced, Blocked, Invalid email, Error, Complaint and Unsubscribed.',
    'Save.',
  ],
  needsApiDsn: true,
  create: (options) => createWebhook(brevoSetup, options),
}
