import { textsOf } from '../../api/json.ts'
import {
  createEvent,
  type Meaning,
  meaningsOf,
  memberOf,
  optionalText,
  timeOfDate,
} from '../../events/event-fields.ts'
import type { ProviderEvent, ProviderWebhooks } from '../../events/provider-webhooks.ts'
import { parseJsonObject } from '../../events/read-body.ts'
import { standardWebhook } from '../../events/verification.ts'

/** Of bounces, the type says more. */
const meanings = meaningsOf({
  delivered: ['email.delivered'],
  deferred: ['email.delivery_delayed'],
  complained: ['email.complained'],
  rejected: ['email.failed', 'email.suppressed'],
})

/** Words of bounces that may work later, in requests without the type of the bounce. */
const temporary = /general bounce|retry/i

/**
 * Returns the class of a bounce.
 * @see https://resend.com/docs/dashboard/emails/email-bounces
 */
function classOf(data: unknown): 'hard' | 'soft' {
  const type = memberOf(data, 'bounce', 'type')
  if (typeof type === 'string') return /^permanent$/i.test(type) ? 'hard' : 'soft'
  return temporary.test(optionalText(memberOf(data, 'bounce', 'message')) ?? '') ? 'soft' : 'hard'
}

function readEvent(event: Readonly<Record<string, unknown>>): ProviderEvent {
  const { data, type } = event
  const meaning = type === 'email.bounced' ? classOf(data) : (meanings.get(type) ?? 'ignored')
  return createEvent({
    meaning,
    recipient: recipientOf(data, meaning),
    providerId: memberOf(data, 'email_id'),
    otherIds: [memberOf(data, 'message_id')],
    at: timeOfDate(event['created_at']),
    reason:
      memberOf(data, 'bounce', 'message') ??
      memberOf(data, 'failed', 'reason') ??
      memberOf(data, 'suppressed', 'message'),
    said: ['subType', 'diagnosticCode'].map((name) => memberOf(data, 'bounce', name)),
  })
}

/** Resend does not say which of several recipients an event is about; a guess could suppress another one. */
function recipientOf(data: unknown, meaning: Meaning): string | undefined {
  const [to, cc, bcc] = ['to', 'cc', 'bcc'].map((name) => textsOf(memberOf(data, name)))
  const isOnly = [to, cc, bcc].reduce((count, list = []) => count + list.length, 0) === 1
  return isOnly || meaning === 'ignored' ? to?.[0] : undefined
}

/**
 * Resend's webhooks.
 * @see https://resend.com/docs/webhooks/introduction
 */
export const resendWebhooks: ProviderWebhooks = {
  ...standardWebhook({
    provider: 'Resend',
    label: 'signing secret',
    place: 'Webhooks, the webhook, "Signing Secret"',
  }),
  read: async (body) => [readEvent(parseJsonObject(body))],
  steps: (url) => [
    'In Resend, open Webhooks, and choose "Add Webhook".',
    `Endpoint URL: ${url}`,
    'Select email.delivered, email.delivery_delayed, email.bounced, email.complained, email.failed and email.suppressed, and add the webhook.',
    'Open the webhook, copy its signing secret (whsec_…), and enter it here.',
  ],
}
