import { isObject } from '../../api/json.ts'
import { createEvent, meaningsOf, memberOf, timeOfSeconds } from '../../events/event-fields.ts'
import {
  type ProviderEvent,
  type ProviderWebhooks,
  WebhookError,
} from '../../events/provider-webhooks.ts'
import { bodyKindOf, parseJsonObject, parseJsonText, readForm } from '../../events/read-body.ts'
import { hmac, isSameText, notGenuine } from '../../events/verification.ts'

const whereTheKeyIs =
  'Copy the key of this webhook from Settings, Webhooks in Mandrill, and enter it here.'

/** While a webhook is added, before its key exists, Mandrill tests its address with no events and this key. */
const testKey = 'test-webhook'

async function readFields(body: Uint8Array, contentType?: string) {
  try {
    return bodyKindOf(body, contentType) === 'json' ? undefined : await readForm(body, contentType)
  } catch (error) {
    if (error instanceof WebhookError) return undefined
    throw error
  }
}

function signedText(url: string, form: URLSearchParams): string {
  const sorted = [...form].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  return url + sorted.map(([name, value]) => name + value).join('')
}

/** Events that mean the same in each case. */
const events = meaningsOf({
  deferred: ['deferral'],
  delivered: ['delivered'],
  hard: ['hard_bounce'],
  soft: ['soft_bounce'],
  complained: ['spam'],
  unsubscribed: ['unsub'],
})

/** Reasons of Mandrill not to try an address that did not work before. */
const rejectReasons = meaningsOf({ hard: ['hard-bounce'], soft: ['soft-bounce'] })

function readEvent(event: unknown): ProviderEvent {
  const member = (...names: readonly string[]) => memberOf(event, ...names)
  const rejectReason = member('msg', 'reject', 'reason') ?? member('msg', 'reject')
  const meaning =
    member('event') === 'reject'
      ? (rejectReasons.get(rejectReason) ?? 'rejected')
      : events.get(member('event'))
  return createEvent({
    meaning: meaning ?? 'ignored',
    // The lists of Mandrill have `reject` in place of a message.
    recipient: member('msg', 'email') ?? member('reject', 'email'),
    providerId: member('_id') ?? member('msg', '_id'),
    otherIds: [member('msg', '_id')],
    at: timeOfSeconds(member('ts')),
    reason:
      member('msg', 'diag') ||
      member('msg', 'bounce_description') ||
      (isObject(rejectReason) ? null : rejectReason) ||
      member('reject', 'detail') ||
      member('reject', 'reason'),
    said: [member('msg', 'bounce_description')],
  })
}

/** Returns the events of a form, or of JSON with the same field. */
async function readEvents(body: Uint8Array, contentType?: string): Promise<readonly unknown[]> {
  const isJson = bodyKindOf(body, contentType) === 'json'
  const field = isJson
    ? parseJsonObject(body)['mandrill_events']
    : (await readForm(body, contentType)).get('mandrill_events')
  const list = typeof field === 'string' ? parseJsonText(field) : field
  if (Array.isArray(list)) return list
  throw new WebhookError(
    'The body has no list "mandrill_events", so it is not of Mandrill. Send what Mandrill posted, unchanged.',
  )
}

/**
 * Mandrill's webhooks.
 * @see https://mailchimp.com/developer/transactional/docs/webhooks/
 */
export const mandrillWebhooks: ProviderWebhooks = {
  signingKeyLabel: 'Webhook key',
  /**
   * Verifies the HMAC-SHA1 over the URL and the sorted fields of the form.
   * @see https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/#authenticating-webhook-requests
   */
  async verify({ url, headers, body }, { signingKey }) {
    const signature = headers['x-mandrill-signature']
    const form = await readFields(body, headers['content-type'])
    const isSignedWith = (key: string) =>
      signature !== undefined &&
      form !== undefined &&
      isSameText(signature, hmac('sha1', key, signedText(url, form)).toString('base64'))
    if (form?.get('mandrill_events')?.trim() === '[]' && isSignedWith(testKey))
      return { isGenuine: true }
    if (signingKey === null || signingKey === '')
      return notGenuine(`The webhook key is not set. ${whereTheKeyIs}`)
    if (signature === undefined)
      return notGenuine('The request is not signed. Check that Mandrill itself calls this address.')
    if (isSignedWith(signingKey)) return { isGenuine: true }
    return notGenuine(
      `The signature does not match the key and the address. ${whereTheKeyIs} The address at Mandrill must be exactly the one that is shown here.`,
    )
  },
  read: async (body, contentType) => (await readEvents(body, contentType)).map(readEvent),
  steps: (url) => [
    'In Mandrill, open Settings, Webhooks, and choose "Add a Webhook".',
    'Select Message Is Delivered, Delayed, Bounced, Soft-Bounced, Marked As Spam, Rejected, and Recipient Unsubscribes.',
    `Post To URL: ${url}`,
    whereTheKeyIs,
  ],
}
