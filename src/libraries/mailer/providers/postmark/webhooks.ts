import { jsonEvents, type Meaning, meaningsOf, timeOfDate } from '../../events/event-fields.ts'
import type { ProviderWebhooks } from '../../events/provider-webhooks.ts'
import { unsignedWebhook } from '../../events/verification.ts'

/**
 * The types of bounces. Those that are not listed are soft.
 * @see https://postmarkapp.com/developer/api/bounce-api#bounce-types
 */
const bounceTypes = meaningsOf({
  hard: ['HardBounce'],
  // Postmark goes on trying.
  deferred: ['Transient', 'DnsError'],
  unsubscribed: ['Unsubscribe'],
  complained: ['SpamComplaint'],
  ignored: [
    // Replies of machines, and tests.
    'AutoResponder',
    'AddressChange',
    'ChallengeVerification',
    'OpenRelayTest',
    'Subscribe',
    'InboundError',
    'Unknown',
  ],
  rejected: [
    // What Postmark does not try.
    'BadEmailAddress',
    'DMARCPolicy',
    'InactiveRecipient',
    'ManuallyDeactivated',
    'SMTPApiError',
    'TemplateRenderingFailed',
    'Unconfirmed',
  ],
})

const suppressionReasons = meaningsOf({ hard: ['HardBounce'], complained: ['SpamComplaint'] })

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

/**
 * Postmark's webhooks. They are not signed.
 * @see https://postmarkapp.com/developer/webhooks/webhooks-overview
 */
export const postmarkWebhooks: ProviderWebhooks = {
  ...unsignedWebhook,
  read: jsonEvents((event) => ({
    meaning: meaningOf(event),
    recipient: event['Email'] ?? event['Recipient'],
    providerId: event['MessageID'],
    at: timeOfDate(
      event['DeliveredAt'] ?? event['BouncedAt'] ?? event['ReceivedAt'] ?? event['ChangedAt'],
    ),
    reason: event['Details'] || event['Description'],
    eventId: event['ID'],
  })),
  steps: (url) => [
    'In Postmark, open the server, then the message stream that Mailyard sends through, then Webhooks, and choose "Add webhook".',
    `Webhook URL: ${url}`,
    'Select Delivery, Bounce, Spam complaint and Subscription change, and save. Bodies of messages need not be included.',
  ],
}
