import {
  jsonEvents,
  meaningsOf,
  memberOf,
  optionalText,
  timeOfDate,
  timeOfSeconds,
} from '../../events/event-fields.ts'
import type { ProviderWebhooks } from '../../events/provider-webhooks.ts'
import {
  checkAge,
  hmac,
  isSameText,
  type KeyPlace,
  mismatch,
  missingKey,
  unsigned,
} from '../../events/verification.ts'

const key: KeyPlace = { provider: 'Mailomat', label: 'webhook secret', place: 'Webhooks' }

/** The time is that of the event, not that of the request; Symfony's bridge accepts 12 hours, too. */
const ageMsMax = 12 * 3_600_000

const meanings = meaningsOf({
  rejected: ['not_accepted'],
  delivered: ['delivered'],
  deferred: ['failure_tmp'],
  hard: ['failure_perm'],
  complained: ['complaint'],
  unsubscribed: ['unsubscribed'],
})

function reasonOf(payload: unknown): string | null {
  const reason = optionalText(memberOf(payload, 'reason'))
  if (reason !== null) return reason
  const words = ['code', 'message'].map((name) =>
    optionalText(memberOf(payload, 'delivery-status', name)),
  )
  return words.filter((word) => word !== null).join(' ') || null
}

function withoutBrackets(value: unknown): string | undefined {
  return optionalText(value)?.replace(/^<|>$/g, '')
}

/**
 * Mailomat's webhooks.
 * @see https://api.mailomat.swiss/docs
 */
export const mailomatWebhooks: ProviderWebhooks = {
  signingKeyLabel: 'Webhook secret',
  /**
   * Verifies the signature over the id, the event and the time of the request. It does not cover the body, so each is
   * accepted once.
   * @see https://api.mailomat.swiss/docs/#tag/webhook-security
   */
  async verify({ headers }, { signingKey, now }) {
    if (signingKey === null || signingKey === '') return missingKey(key)
    const id = headers['x-mom-webhook-id']
    const event = headers['x-mom-webhook-event']
    const timestamp = headers['x-mom-webhook-timestamp']
    const signature = headers['x-mom-webhook-signature']
    if (
      id === undefined ||
      event === undefined ||
      timestamp === undefined ||
      signature === undefined
    )
      return unsigned(key)
    const signed = `${id}.${event}.${timestamp}`
    const expected = `sha256=${hmac('sha256', signingKey, signed).toString('hex')}`
    if (!isSameText(signature.toLowerCase(), expected)) return mismatch(key)
    return (
      checkAge(timeOfSeconds(timestamp), { now, ageMsMax }) ?? { isGenuine: true, token: signed }
    )
  },
  read: jsonEvents(({ payload, ...event }) => ({
    meaning: meanings.get(event['eventType']) ?? 'ignored',
    recipient: event['recipient'],
    providerId: event['id'],
    otherIds: [
      event['messageUuid'],
      event['messageId'],
      memberOf(payload, 'message-uuid'),
      withoutBrackets(memberOf(payload, 'message', 'headers', 'message-id')),
    ],
    at: timeOfDate(event['occurredAt']),
    reason: reasonOf(payload),
    said: ['enhanced-code', 'message'].map((name) => memberOf(payload, 'delivery-status', name)),
    eventId: event['id'],
  })),
  steps: (url) => [
    'In Mailomat, open the domain, Webhooks, and add a webhook.',
    `URL: ${url}`,
    'Select the events not_accepted, delivered, failure_tmp and failure_perm, and save.',
    'Copy the secret of the webhook, and enter it here.',
  ],
}
