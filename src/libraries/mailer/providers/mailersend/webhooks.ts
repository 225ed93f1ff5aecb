import { isObject } from '../../api/json.ts'
import {
  createEvent,
  type Meaning,
  meaningsOf,
  memberOf,
  optionalText,
  timeOfDate,
} from '../../events/event-fields.ts'
import {
  type ProviderEvent,
  type ProviderWebhooks,
  WebhookError,
} from '../../events/provider-webhooks.ts'
import { parseJsonObject } from '../../events/read-body.ts'
import { bodySignature } from '../../events/verification.ts'

/** By the name without `activity.`. */
const meanings = meaningsOf({
  delivered: ['delivered'],
  deferred: ['deferred'],
  soft: ['soft_bounced'],
  hard: ['hard_bounced'],
  complained: ['spam_complaint', 'spam_complaints'],
  unsubscribed: ['unsubscribed'],
  rejected: ['rejected', 'suppressed'],
})

function readEvents(request: Readonly<Record<string, unknown>>): ProviderEvent[] {
  const { type, data } = request
  if (type === 'webhook.test') return []
  if (type === 'inbound.message')
    throw new WebhookError(
      'This is an inbound email of MailerSend. Enter the address in MailerSend as a webhook of the domain, and not as an inbound route.',
    )
  const name = (optionalText(type) ?? optionalText(memberOf(data, 'type')) ?? '').replace(
    /^activity\./,
    '',
  )
  const meaning = meanings.get(name) ?? 'ignored'
  // The first version nests the objects.
  const { email } = isObject(data) ? data : {}
  return [isObject(email) ? readNested(meaning, data) : readFlat(meaning, request)]
}

function readNested(meaning: Meaning, data: unknown): ProviderEvent {
  const emailId = memberOf(data, 'email', 'id')
  return createEvent({
    meaning,
    recipient: memberOf(data, 'email', 'recipient', 'email'),
    providerId: memberOf(data, 'email', 'message', 'id'),
    otherIds: idsOf(emailId),
    at: timeOfDate(memberOf(data, 'created_at')),
    reason: memberOf(data, 'morph', 'readable_reason') ?? memberOf(data, 'morph', 'reason'),
    said: [memberOf(data, 'morph', 'reason')],
    eventId: memberOf(data, 'id'),
  })
}

const reasonNames = ['bounce_reason', 'reject_reason', 'suppression_reason', 'unsubscribe_reason']

function readFlat(meaning: Meaning, request: Readonly<Record<string, unknown>>): ProviderEvent {
  const { data } = request
  return createEvent({
    meaning,
    // Some requests name it as the first version did.
    recipient: memberOf(data, 'recipient') ?? memberOf(data, 'email'),
    providerId: memberOf(data, 'message_id'),
    otherIds: idsOf(memberOf(data, 'email_id')),
    at: timeOfDate(request['created_at']),
    reason: reasonNames.map((name) => memberOf(data, 'meta', name)).find((reason) => reason),
    eventId: memberOf(data, 'id'),
  })
}

/** The id of the email, and the Message-ID that MailerSend writes with it. */
function idsOf(emailId: unknown): unknown[] {
  return typeof emailId === 'string' && emailId !== '' ? [emailId, `${emailId}@mailersend.net`] : []
}

/**
 * MailerSend's webhooks.
 * @see https://developers.mailersend.com/api/v1/webhooks.html
 */
export const mailersendWebhooks: ProviderWebhooks = {
  ...bodySignature('signature', {
    provider: 'MailerSend',
    label: 'signing secret',
    place: 'Domains, the domain, Webhooks, the webhook',
  }),
  read: async (body) => readEvents(parseJsonObject(body)),
  steps: (url) => [
    'In MailerSend, open Domains, the domain, Webhooks, and choose "Create webhook".',
    `Endpoint URL: ${url}`,
    'Select Delivered, Soft bounced, Hard bounced, Deferred, Unsubscribed and Spam complaint, and save.',
    'Copy the signing secret of the webhook, and enter it here.',
  ],
}
