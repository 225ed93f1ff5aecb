import { type KeyObject, verify as verifySignature } from 'node:crypto'
import {
  jsonEvents,
  type Meaning,
  memberOf,
  optionalText,
  timeOfSeconds,
} from '../../events/event-fields.ts'
import type { ProviderWebhooks } from '../../events/provider-webhooks.ts'
import { decodeBase64, notGenuine, readPublicKey } from '../../events/verification.ts'

const whereTheKeyIs =
  'Run "postal default-dkim-record" on the server of Postal, and enter what follows "p=" here.'

const wrongKey = `The public key is not an RSA key. ${whereTheKeyIs}`

/** Reads a key as PEM, as base64, or as a DKIM record. */
function readKey(signingKey: string): KeyObject | undefined {
  const [, ofRecord] = /(?:^|[;\s])p=([A-Za-z0-9+/=\s]+)/.exec(signingKey) ?? []
  return readPublicKey(ofRecord ?? signingKey, 'rsa')
}

/** A reply of the recipient's server, as `550 5.1.1 No such user`. */
const permanentReply = /^\s*5\d\d\b/

/** Returns what a request means. Some versions name another event, so the payload decides. */
function meaningOf(payload: unknown): Meaning {
  const details = optionalText(memberOf(payload, 'details')) ?? ''
  const output = optionalText(memberOf(payload, 'output')) ?? ''
  if (memberOf(payload, 'message', 'direction') === 'incoming') return 'ignored'
  switch (memberOf(payload, 'status')) {
    case 'Sent':
      return 'delivered'
    case 'SoftFail':
      return 'deferred'
    case 'HardFail':
      // Without a reply Postal did not try: spam, no domain, no recipient.
      return permanentReply.test(output) ? 'hard' : 'rejected'
    case 'Held':
      // A person decides about the other messages that Postal holds.
      return /suppression list/.test(details) && /hard fail|bounce/.test(details)
        ? 'hard'
        : 'ignored'
    case undefined:
      // A returned message, of which Postal does not tell the reason.
      return memberOf(payload, 'original_message') === undefined
        ? 'ignored'
        : permanentReply.test(output)
          ? 'hard'
          : 'soft'
    default:
      return 'ignored'
  }
}

/**
 * Postal's webhooks.
 * @see https://docs.postalserver.io/developer/webhooks
 */
export const postalWebhooks: ProviderWebhooks = {
  signingKeyLabel: 'Public key',
  checkKey: (signingKey) => (readKey(signingKey) ? undefined : wrongKey),
  /**
   * Verifies the RSA signature over the body. The newer header counts where it is sent, so that nothing is gained by
   * leaving it out of a request that has it.
   * @see https://github.com/postalserver/postal/blob/main/lib/postal/http.rb
   */
  async verify({ headers, body }, { signingKey }) {
    if (signingKey === null) return notGenuine(`The public key is not set. ${whereTheKeyIs}`)
    const key = readKey(signingKey)
    if (key === undefined) return notGenuine(wrongKey)
    const newer = headers['x-postal-signature-256']
    const signature = newer ?? headers['x-postal-signature']
    if (signature === undefined)
      return notGenuine('The request is not signed. Check that Postal itself calls this address.')
    const bytes = decodeBase64(signature) ?? Buffer.alloc(0)
    if (verifySignature(newer === undefined ? 'sha1' : 'sha256', body, key, bytes))
      return { isGenuine: true }
    return notGenuine(`The signature does not match the public key. ${whereTheKeyIs}`)
  },
  read: jsonEvents(({ payload, timestamp, uuid }) => {
    const message = memberOf(payload, 'message') ?? memberOf(payload, 'original_message')
    return {
      meaning: meaningOf(payload),
      recipient: memberOf(message, 'to'),
      providerId: memberOf(message, 'id'),
      // The API answers with the Message-ID.
      otherIds: [memberOf(message, 'message_id'), memberOf(message, 'token')],
      at: timeOfSeconds(timestamp),
      reason: memberOf(payload, 'output') || memberOf(payload, 'details'),
      eventId: uuid,
    }
  }),
  steps: (url) => [
    'In Postal, open the mail server, then Webhooks, and choose "Add a webhook".',
    `URL: ${url}`,
    'Select the events MessageSent, MessageDelayed, MessageDeliveryFailed, MessageHeld and MessageBounced, and save.',
    whereTheKeyIs,
  ],
}
