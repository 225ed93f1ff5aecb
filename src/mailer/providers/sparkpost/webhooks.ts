import { isObject } from '../../api/json.ts'
import {
  createEvent,
  type Meaning,
  meaningOfFeedback,
  optionalText,
  timeOfDate,
  timeOfSeconds,
} from '../../events/event-fields.ts'
import type { ProviderEvent, ProviderWebhooks } from '../../events/provider-webhooks.ts'
import { parseJsonObjects } from '../../events/read-body.ts'
import { unsignedWebhook } from '../../events/verification.ts'

/**
 * The classes of bounces that are not soft.
 * @see https://support.sparkpost.com/docs/deliverability/bounce-classification-codes
 */
const bounceClasses = new Map<string | null, Meaning>([
  // Invalid recipient; no recipient.
  ['10', 'hard'],
  ['30', 'hard'],
  // Admin failure: a policy of SparkPost or of the account.
  ['25', 'rejected'],
  // Replies of machines: auto-reply, subscribe, challenge.
  ['60', 'ignored'],
  ['80', 'ignored'],
  ['100', 'ignored'],
  ['90', 'unsubscribed'],
])

function meaningOf(event: Readonly<Record<string, unknown>>): Meaning {
  switch (event['type']) {
    case 'delivery':
      return 'delivered'
    case 'delay':
      return 'deferred'
    case 'bounce':
    case 'out_of_band':
      return bounceClasses.get(optionalText(event['bounce_class'])) ?? 'soft'
    case 'spam_complaint':
      return meaningOfFeedback(optionalText(event['fbtype']) ?? 'abuse')
    case 'list_unsubscribe':
    case 'link_unsubscribe':
      return 'unsubscribed'
    case 'policy_rejection':
    case 'generation_failure':
    case 'generation_rejection':
      return 'rejected'
    default:
      return 'ignored'
  }
}

/** Reads the event of `msys`. Its name is that of its group; `{}` is a test of the address. */
function readGroups(msys: unknown): ProviderEvent[] {
  if (!isObject(msys)) return [createEvent({ meaning: 'ignored' })]
  return Object.values(msys).map((event) => readEvent(isObject(event) ? event : {}))
}

function readEvent(event: Readonly<Record<string, unknown>>): ProviderEvent {
  return createEvent({
    meaning: meaningOf(event),
    recipient: event['raw_rcpt_to'] ?? event['rcpt_to'],
    // The API answers with the id of the transmission.
    providerId: event['transmission_id'],
    otherIds: [event['message_id']],
    // Failures to generate a message have a date.
    at: timeOfSeconds(event['timestamp']) ?? timeOfDate(event['timestamp']),
    reason: event['raw_reason'] ?? event['reason'],
    said: [event['reason'], event['error_code']],
    eventId: event['event_id'],
  })
}

/**
 * SparkPost's event webhooks. They are not signed.
 * @see https://developers.sparkpost.com/api/webhooks/
 */
export const sparkpostWebhooks: ProviderWebhooks = {
  ...unsignedWebhook,
  read: async (body) => parseJsonObjects(body).flatMap(({ msys }) => readGroups(msys)),
  steps: (url) => [
    'In SparkPost, open Configuration, Webhooks, and choose "Create webhook".',
    `Target URL: ${url}`,
    'Under "Events", choose "Select individual events": Delivery, Delay, Bounce, Out of band, Spam complaint, Policy rejection, Generation failure, Generation rejection, List unsubscribe and Link unsubscribe.',
    'Leave the authentication at "None": the address holds a secret. Create the webhook.',
  ],
}
