import { createEvent, type Meaning, timeOfDate } from '../../events/event-fields.ts'
import type { ProviderEvent, ProviderWebhooks } from '../../events/provider-webhooks.ts'
import { parseJsonObjects } from '../../events/read-body.ts'
import { unsignedWebhook } from '../../events/verification.ts'

/**
 * The types of bounces. Those that are not listed are soft.
 * @see https://postmarkapp.com/developer/api/bounce-api#bounce-types
 */
const bounceTypes = new Map<unknown, Meaning>([
  ['HardBounce', 'hard'],
  // Postmark goes on trying.
  ['Transient', 'deferred'],
  ['DnsError', 'deferred'],
  ['Unsubscribe', 'unsubscribed'],
  ['SpamComplaint', 'complained'],
  // Replies of machines, and tests.
  ['AutoResponder', 'ignored'],
  ['AddressChange', 'ignored'],
  ['ChallengeVerification', 'ignored'],
  ['OpenRelayTest', 'ignored'],
  ['Subscribe', 'ignored'],
  ['InboundError', 'ignored'],
  ['Unknown', 'ignored'],
  // What Postmark does not try.
  ['BadEmailAddress', 'rejected'],
  ['DMARCPolicy', 'rejected'],
  ['InactiveRecipient', 'rejected'],
  ['ManuallyDeactivated', 'rejected'],
  ['SMTPApiError', 'rejected'],
  ['TemplateRenderingFailed', 'rejected'],
  ['Unconfirmed', 'rejected'],
])

const suppressionReasons = new Map<unknown, Meaning>([
  ['HardBounce', 'hard'],
  ['SpamComplaint', 'complained'],
  ['ManualSuppression', 'unsubscribed'],
])

function meaningOf(event: Readonly<Record<string, unknown>>): Meaning {
  switch (event['RecordType']) {
    case 'Delivery':
      return 'delivered'
    case 'Bounce':
      return bounceTypes.get(event['Type']) ?? 'soft'
    case 'SpamComplaint':
      return 'complained'
    case 'SubscriptionChange':
      // Without SuppressSending an address may be sent to again.
      return event['SuppressSending'] === true
        ? (suppressionReasons.get(event['SuppressionReason']) ?? 'unsubscribed')
        : 'ignored'
    default:
      return 'ignored'
  }
}

function readEvent(event: Readonly<Record<string, unknown>>): ProviderEvent {
  const date =
    event['DeliveredAt'] ?? event['BouncedAt'] ?? event['ReceivedAt'] ?? event['ChangedAt']
  return createEvent({
    meaning: meaningOf(event),
    recipient: event['Email'] ?? event['Recipient'],
    providerId: event['MessageID'],
    at: timeOfDate(date),
    reason: event['Details'] || event['Description'],
    eventId: event['ID'],
  })
}

/**
 * Postmark's webhooks. They are not signed.
 * @see https://postmarkapp.com/developer/webhooks/webhooks-overview
 */
export const postmarkWebhooks: ProviderWebhooks = {
  ...unsignedWebhook,
  read: async (body) => parseJsonObjects(body).map(readEvent),
  steps: (url) => [
    'In Postmark, open the server, then the message stream that Mailyard sends through, then Webhooks, and choose "Add webhook".',
    `Webhook URL: ${url}`,
    'Select Delivery, Bounce, Spam complaint and Subscription change, and save. Bodies of messages need not be included.',
  ],
}
