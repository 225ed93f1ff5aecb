import { isObject, objectsOf, textsOf } from '../../api/json.ts'
import {
  createEvent,
  type Meaning,
  meaningOfFeedback,
  memberOf,
  optionalText,
  timeOfDate,
} from '../../events/event-fields.ts'
import {
  type ProviderEvent,
  type ProviderWebhooks,
  WebhookError,
} from '../../events/provider-webhooks.ts'
import { parseJsonObject, parseJsonText } from '../../events/read-body.ts'
import { verifySnsMessage } from './sns.ts'

/** A recipient, and what its server said. */
interface Recipient {
  readonly address: unknown
  readonly words?: unknown
  readonly status?: unknown
}

/** What an event says. */
interface Reading {
  readonly meaning: Meaning
  /** Null: all to whom the message was sent. */
  readonly recipients: readonly Recipient[] | null
  /** Where the recipient's server said nothing. */
  readonly reason?: unknown
  readonly eventId?: unknown
}

const ignored: Reading = { meaning: 'ignored', recipients: null }

/**
 * Reads an event. Notifications of an identity (`notificationType`) and events of a configuration set (`eventType`) are
 * nearly the same.
 * @see https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
 * @see https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
function readingOf(event: unknown): Reading {
  const textOf = (...names: readonly string[]) => optionalText(memberOf(event, ...names))
  switch (textOf('eventType') ?? textOf('notificationType')) {
    case 'Delivery':
      return {
        meaning: 'delivered',
        recipients: textsOf(memberOf(event, 'delivery', 'recipients')).map(unanswered),
        reason: textOf('delivery', 'smtpResponse'),
      }
    case 'Bounce':
      return readBounce(event)
    case 'Complaint':
      return readComplaint(event)
    case 'DeliveryDelay':
      return {
        meaning: 'deferred',
        recipients: recipientsOf(memberOf(event, 'deliveryDelay', 'delayedRecipients')),
        reason: textOf('deliveryDelay', 'delayType'),
      }
    case 'Reject':
      return { meaning: 'rejected', recipients: null, reason: textOf('reject', 'reason') }
    case 'Rendering Failure':
      return { meaning: 'rejected', recipients: null, reason: textOf('failure', 'errorMessage') }
    case 'Subscription': {
      const isAll =
        memberOf(event, 'subscription', 'newTopicPreferences', 'unsubscribeAll') === true
      return isAll ? { ...ignored, meaning: 'unsubscribed' } : ignored
    }
    default:
      return ignored
  }
}

const unanswered = (address: unknown): Recipient => ({ address })

function recipientsOf(list: unknown): Recipient[] {
  return objectsOf(list).map((recipient) => ({
    address: recipient['emailAddress'],
    words: recipient['diagnosticCode'],
    status: recipient['status'],
  }))
}

/** @see https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types */
function readBounce(event: unknown): Reading {
  const bounce = memberOf(event, 'bounce')
  const type = optionalText(memberOf(bounce, 'bounceType'))
  const subType = optionalText(memberOf(bounce, 'bounceSubType'))
  return {
    meaning:
      subType === 'UnsubscribedRecipient' ? 'rejected' : type === 'Permanent' ? 'hard' : 'soft',
    recipients: recipientsOf(memberOf(bounce, 'bouncedRecipients')),
    reason: [type, subType].filter((text) => text !== null).join(': '),
    eventId: memberOf(bounce, 'feedbackId'),
  }
}

function readComplaint(event: unknown): Reading {
  const complaint = memberOf(event, 'complaint')
  const feedbackType = optionalText(memberOf(complaint, 'complaintFeedbackType'))
  const subType = optionalText(memberOf(complaint, 'complaintSubType'))
  return {
    meaning: meaningOfComplaint(feedbackType, subType),
    recipients: recipientsOf(memberOf(complaint, 'complainedRecipients')),
    reason: feedbackType ?? subType,
    eventId: memberOf(complaint, 'feedbackId'),
  }
}

function meaningOfComplaint(feedbackType: string | null, subType: string | null): Meaning {
  // SES did not try, because of an earlier complaint.
  if (subType === 'OnAccountSuppressionList') return 'rejected'
  // SES leaves the type out where it got no report in the form of RFC 5965.
  return feedbackType === null ? 'complained' : meaningOfFeedback(feedbackType)
}

/** The times of events in the order in which they are looked for. */
const timedMembers = [
  'bounce',
  'complaint',
  'delivery',
  'deliveryDelay',
  'subscription',
  'open',
  'click',
  'mail',
]

/** A message of SES has at most 50. */
const recipientsMax = 1_000

interface Envelope {
  /** When SNS sent it; null without an envelope. */
  readonly at: number | null
  readonly id: unknown
}

function readEvents(event: unknown, envelope: Envelope): ProviderEvent[] {
  const mail = memberOf(event, 'mail')
  const { meaning, recipients, reason, eventId } = readingOf(event)
  const timestamps = timedMembers.map((name) => timeOfDate(memberOf(event, name, 'timestamp')))
  const otherIds = [memberOf(mail, 'commonHeaders', 'messageId'), messageIdOf(mail)]
  const at = envelope.at ?? timestamps.find((time) => time !== null) ?? null
  const addressed = recipients ?? textsOf(memberOf(mail, 'destination')).map(unanswered)
  const listed = addressed.length > 0 ? addressed.slice(0, recipientsMax) : [unanswered(null)]
  return listed.map(({ address, words, status }) =>
    createEvent({
      meaning,
      recipient: address,
      providerId: memberOf(mail, 'messageId'),
      otherIds,
      at,
      reason: words || reason,
      said: [status, reason],
      eventId: eventId ?? envelope.id,
    }),
  )
}

/** Returns the Message-ID that the message had when it was sent; SES replaces it. */
function messageIdOf(mail: unknown): unknown {
  return objectsOf(memberOf(mail, 'headers')).find(
    ({ name }) => typeof name === 'string' && name.toLowerCase() === 'message-id',
  )?.['value']
}

/** Reads a message of SNS, or an event alone, as SNS posts it with "raw message delivery". */
function readBody(body: Uint8Array): ProviderEvent[] {
  const message = parseJsonObject(body)
  if (isObject(message['mail'])) return readEvents(message, { at: null, id: null })
  const { Type: type, Message: text, Timestamp: timestamp, MessageId: id } = message
  const envelope = { at: timeOfDate(timestamp), id }
  if (type === 'SubscriptionConfirmation' || type === 'UnsubscribeConfirmation')
    return [createEvent({ meaning: 'ignored', at: envelope.at, eventId: id })]
  if (type !== 'Notification' || typeof text !== 'string')
    throw new WebhookError(
      'The body is neither a message of Amazon SNS nor an event of Amazon SES. Send what SNS posted, unchanged.',
    )
  // SES says in words that it may publish to the topic.
  if (!text.trimStart().startsWith('{'))
    return [createEvent({ meaning: 'ignored', at: envelope.at, eventId: id })]
  return readEvents(parseJsonText(text), envelope)
}

/** Amazon SES tells events through Amazon SNS. */
export const sesWebhooks: ProviderWebhooks = {
  checkKey: () =>
    'Amazon SNS signs with certificates of its own, so no signing key is needed. Leave it out.',
  verify: verifySnsMessage,
  read: async (body) => readBody(body),
  steps: (url) => [
    'In Amazon SNS, in the region of Amazon SES, create a topic of the type "Standard".',
    'In the topic, choose "Create subscription", protocol HTTPS, and leave "raw message delivery" off.',
    `Endpoint: ${url}`,
    'Mailyard confirms the subscription automatically: after a moment its status is "Confirmed".',
    'In Amazon SES, open the identity (the domain or address), Notifications, Feedback notifications, Edit, and select the topic for Bounce, Complaint and Delivery. Tick "Include original headers".',
    'For delays and rejections, too, add the topic as an event destination of the configuration set that the messages name.',
  ],
}
