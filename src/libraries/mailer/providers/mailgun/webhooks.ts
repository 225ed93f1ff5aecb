import { isObject } from '../../api/json.ts'
import {
  createEvent,
  type Meaning,
  meaningsOf,
  memberOf,
  optionalText,
  timeOfSeconds,
} from '../../events/event-fields.ts'
import {
  type ProviderEvent,
  type ProviderWebhooks,
  WebhookError,
} from '../../events/provider-webhooks.ts'
import { bodyKindOf, parseJsonObject, readForm } from '../../events/read-body.ts'
import {
  checkAge,
  hmac,
  isSameText,
  type KeyPlace,
  mismatch,
  missingKey,
  unsigned,
} from '../../events/verification.ts'

/** Mailgun recommends to refuse old requests, without a number. */
const ageMsMax = 15 * 60_000

const key: KeyPlace = {
  provider: 'Mailgun',
  label: 'HTTP webhook signing key',
  place: 'Settings, API Security',
}

interface Signature {
  readonly timestamp: string | null
  readonly token: string | null
  /** Hexadecimal; that of the main account, too, where a subaccount sends. */
  readonly signatures: readonly (string | null)[]
}

async function readSignature(body: Uint8Array, contentType?: string): Promise<Signature> {
  try {
    if (bodyKindOf(body, contentType) !== 'json')
      return signatureOfForm(await readForm(body, contentType))
    const { signature } = parseJsonObject(body)
    const textOf = (name: string) => optionalText(memberOf(signature, name))
    return {
      timestamp: textOf('timestamp'),
      token: textOf('token'),
      signatures: [textOf('signature'), textOf('parent-signature')],
    }
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return { timestamp: null, token: null, signatures: [] }
  }
}

/** Variables of messages stand in the same form, before the fields of the signature and after the others. */
function signatureOfForm(form: URLSearchParams): Signature {
  const last = (name: string) => form.getAll(name).at(-1) ?? null
  return {
    timestamp: last('timestamp'),
    token: last('token'),
    signatures: [last('signature'), last('parent-signature')],
  }
}

/** The events of both formats that mean the same in both. */
const events = meaningsOf({
  delivered: ['delivered'],
  complained: ['complained'],
  unsubscribed: ['unsubscribed'],
  rejected: ['rejected'],
})

/**
 * Returns what a failure for good means. Mailgun's own codes begin with 6.
 * @param reason `bounce`, `suppress-bounce`, `generic`, `old`, …
 */
function meaningOfFailure(reason: string, code: string): Meaning {
  if (reason === 'suppress-bounce' || code === '605') return 'hard'
  if (reason.startsWith('suppress-') || code.startsWith('6')) return 'rejected'
  // "old": Mailgun gave up. A block by the recipient's provider is of the message.
  return reason === 'bounce' || (reason === 'hardfail' && code.startsWith('5')) ? 'hard' : 'soft'
}

function readJsonEvent(body: Uint8Array): ProviderEvent {
  const request = parseJsonObject(body)
  const event = request['event-data']
  if (!isObject(event))
    throw new WebhookError(
      'The body has no "event-data", so it is not an event of Mailgun. Send what Mailgun posted, unchanged.',
    )
  const textOf = (...names: readonly string[]) => optionalText(memberOf(event, ...names))
  const reason = textOf('reason') ?? ''
  const code = textOf('delivery-status', 'code') ?? ''
  const isFailed = event['event'] === 'failed'
  const isSoft = textOf('delivery-status', 'bounce-type') === 'soft'
  const isTemporary = isFailed && event['severity'] === 'temporary'
  const meaning: Meaning = isTemporary
    ? 'deferred'
    : isFailed
      ? meaningOfFailure(isSoft ? 'generic' : reason, code)
      : (events.get(event['event']) ?? 'ignored')
  return createEvent({
    meaning,
    recipient: event['recipient'] || soleAddress(textOf('message', 'headers', 'to')),
    providerId: withBrackets(textOf('message', 'headers', 'message-id')),
    otherIds: [event['id']],
    at: timeOfSeconds(event['timestamp']),
    reason:
      textOf('delivery-status', 'message') ??
      textOf('delivery-status', 'description') ??
      textOf('reject', 'reason'),
    said: [
      code,
      ...['enhanced-code', 'description'].map((name) => textOf('delivery-status', name)),
    ],
    eventId: event['id'],
  })
}

/** The recipient of a message that has one; null for several. */
function soleAddress(to: string | null): string | null {
  return to !== null && to.split('@').length === 2 ? to : null
}

/** The API answers with brackets. */
function withBrackets(id: string | null): string | null {
  return id === null || id.startsWith('<') ? id : `<${id}>`
}

/** Reads the format before 2018, which forwarding services still post. */
function readLegacyEvent(form: URLSearchParams): ProviderEvent {
  const textOf = (name: string) => form.get(name) || null
  const name = textOf('event')
  if (name === null)
    throw new WebhookError(
      'The form has no "event", so it is not an event of Mailgun. Send what Mailgun posted, unchanged.',
    )
  const { timestamp, token } = signatureOfForm(form)
  return createEvent({
    meaning: meaningOfLegacy(name, textOf('reason') ?? '', textOf('code') ?? ''),
    recipient: textOf('recipient'),
    providerId: withBrackets(textOf('Message-Id') ?? textOf('message-id')),
    at: timeOfSeconds(timestamp),
    reason: textOf('error') ?? textOf('notification') ?? textOf('description'),
    said: [textOf('code'), textOf('notification'), textOf('description')],
    eventId: token,
  })
}

function meaningOfLegacy(name: string, reason: string, code: string): Meaning {
  if (name === 'bounced') return 'hard'
  if (name !== 'dropped') return events.get(name) ?? 'ignored'
  const meaning = meaningOfFailure(reason, code)
  return meaning === 'soft' && reason !== 'old' && !/^[45]/.test(code) ? 'rejected' : meaning
}

/**
 * Mailgun's webhooks.
 * @see https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks
 */
export const mailgunWebhooks: ProviderWebhooks = {
  signingKeyLabel: 'HTTP webhook signing key',
  /**
   * Verifies the signature over timestamp and token. It does not cover the body, so the token must be new.
   * @see https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
   */
  async verify({ headers, body }, { signingKey, now }) {
    if (signingKey === null || signingKey === '') return missingKey(key)
    const { timestamp, token, signatures } = await readSignature(body, headers['content-type'])
    if (timestamp === null || token === null) return unsigned(key)
    const expected = hmac('sha256', signingKey, timestamp, token).toString('hex')
    if (!signatures.some((signature) => signature !== null && isSameText(signature, expected)))
      return mismatch(key)
    return checkAge(timeOfSeconds(timestamp), { now, ageMsMax }) ?? { isGenuine: true, token }
  },
  async read(body, contentType) {
    if (bodyKindOf(body, contentType) === 'json') return [readJsonEvent(body)]
    return [readLegacyEvent(await readForm(body, contentType))]
  },
  steps: (url) => [
    'In Mailgun, open Send, Sending, Webhooks, choose the sending domain, and choose "Add webhook".',
    'Add one for each of these events: Delivered Messages, Temporary Failure, Permanent Failure, Spam Complaints and Unsubscribes.',
    `URL, for each: ${url}`,
    'Copy the "HTTP webhook signing key" from Settings, API Security, and enter it here.',
  ],
}
