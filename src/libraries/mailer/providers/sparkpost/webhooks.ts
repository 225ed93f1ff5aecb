import { isObject } from '../../api/json.ts'
import {
  createEvent,
  type Meaning,
  meaningOfFeedback,
  meaningsOf,
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
const bounceClasses = meaningsOf({
  // Invalid recipient; no recipient.
  hard: ['10', '30'],
  // Admin failure: a policy of SparkPost or of the account.
  rejected: ['25'],
  // Replies of machines: auto-reply, subscribe, challenge.
  ignored: ['60', '80', '100'],
  unsubscribed: ['90'],
})

/** Events without a class; `soft` is a bounce, whose class says more. */
const meanings = meaningsOf({
  delivered: ['delivery'],
  deferred: ['delay'],
  soft: ['bounce', 'out_of_band'],
  unsubscribed: ['list_unsubscribe', 'link_unsubscribe'],
  rejected: ['policy_rejection', 'generation_failure', 'generation_rejection'],
})

function meaningOf(event: Readonly<Record<string, unknown>>): Meaning {
  if (event['type'] === 'spam_complaint')
    return meaningOfFeedback(optionalText(event['fbtype']) ?? 'abuse')
  const meaning = meanings.get(event['type']) ?? 'ignored'
  const ofClass = bounceClasses.get(optionalText(event['bounce_class']))
  return meaning === 'soft' ? (ofClass ?? meaning) : meaning
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
