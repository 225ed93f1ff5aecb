import { verify as verifySignature } from 'node:crypto'
import {
  jsonEvents,
  type Meaning,
  meaningsOf,
  optionalText,
  timeOfSeconds,
} from '../../events/event-fields.ts'
import type { ProviderWebhooks } from '../../events/provider-webhooks.ts'
import { checkAge, decodeBase64, notGenuine, readPublicKey } from '../../events/verification.ts'

/** SendGrid documents no age. It signs a request when it sends it. */
const ageMsMax = 10 * 60_000

const wrongKey =
  'The verification key is not a public key (ECDSA, base64). Copy it again from Settings, Mail Settings, Event Webhooks in SendGrid.'

/** The types of bounces after which SendGrid sends to the address again. */
const softTypes = new Set<unknown>(['blocked', 'expired'])

/** SendGrid's reasons not to try an address that did not work before. */
const undeliverable = new Set(['bounced address', 'invalid'])

/** Events that mean the same with every type and reason. */
const meanings = meaningsOf({
  delivered: ['delivered'],
  deferred: ['deferred'],
  soft: ['blocked'],
  complained: ['spamreport'],
  unsubscribed: ['unsubscribe', 'group_unsubscribe'],
})

function meaningOf({ event, type, reason }: Readonly<Record<string, unknown>>): Meaning {
  // A block is of the message, and SendGrid tries the address again, as after it gave up.
  if (event === 'bounce') return softTypes.has(type) ? 'soft' : 'hard'
  if (event !== 'dropped') return meanings.get(event) ?? 'ignored'
  return undeliverable.has((optionalText(reason) ?? '').toLowerCase()) ? 'hard' : 'rejected'
}

/**
 * SendGrid's Event Webhook.
 * @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
 */
export const sendgridWebhooks: ProviderWebhooks = {
  signingKeyLabel: 'Verification key',
  checkKey: (signingKey) => (readPublicKey(signingKey, 'ec') ? undefined : wrongKey),
  /**
   * Verifies the ECDSA signature over the timestamp and the body.
   * @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
   */
  async verify({ headers, body }, { signingKey, now }) {
    if (signingKey === null)
      return notGenuine(
        'The verification key is not set. In SendGrid, Settings, Mail Settings, Event Webhooks, enable "Signed Event Webhook" and enter its verification key here.',
      )
    const key = readPublicKey(signingKey, 'ec')
    if (key === undefined) return notGenuine(wrongKey)
    const signature = headers['x-twilio-email-event-webhook-signature']
    const timestamp = headers['x-twilio-email-event-webhook-timestamp']
    if (signature === undefined || timestamp === undefined)
      return notGenuine(
        'The request is not signed. In SendGrid, Settings, Mail Settings, Event Webhooks, enable "Signed Event Webhook".',
      )
    const signed = Buffer.concat([Buffer.from(timestamp), body])
    if (!verifySignature('sha256', signed, key, decodeBase64(signature) ?? Buffer.alloc(0)))
      return notGenuine(
        'The signature does not match the verification key. Copy the key of this webhook again from Settings, Mail Settings, Event Webhooks in SendGrid.',
      )
    return checkAge(timeOfSeconds(timestamp), { now, ageMsMax }) ?? { isGenuine: true }
  },
  read: jsonEvents((event) => {
    const { sg_message_id: longId, 'smtp-id': smtpId, anymail_id: ownId } = event
    // The API answers with what stands before the first dot.
    const shortId = optionalText(longId)?.split('.', 1)[0]
    const isOwnMessageId = !/(?:^|@[\w.-]+\.sendgrid\.net>?)$/i.test(optionalText(smtpId) ?? '')
    return {
      meaning: meaningOf(event),
      recipient: event['email'],
      providerId: optionalText(ownId) ?? (isOwnMessageId ? smtpId : longId),
      otherIds: [shortId, longId, smtpId],
      at: timeOfSeconds(event['timestamp']),
      reason: event['response'] || event['reason'],
      said: ['reason', 'status', 'bounce_classification'].map((name) => event[name]),
      eventId: event['sg_event_id'],
    }
  }),
  steps: (url) => [
    'In SendGrid, open Settings, Mail Settings, Event Webhooks, and choose "Create new webhook".',
    `Post URL: ${url}`,
    'Under "Actions to be posted", select Delivered, Deferred, Bounced, Dropped, Spam Reports, Unsubscribes and Group Unsubscribes.',
    'Under "Security features", enable "Signed Event Webhook", and save.',
    'Open the webhook again, copy its verification key, and enter it here.',
  ],
}
