import { timeOfSeconds } from './event-fields.ts'
import type { Verification, VerifyOptions, WebhookRequest } from './provider-webhooks.ts'
import { checkAge, decodeBase64, hmac, isSameText, notGenuine } from './verification.ts'

/** What the key of a provider is called there, and where it is found: `Webhooks, the page of the webhook`. */
export interface KeyPlace {
  readonly provider: string
  readonly label: string
  readonly place: string
}

/** Refuses a request because no key is set here. */
export function missingKey({ provider, label, place }: KeyPlace): Verification {
  return notGenuine(
    `The ${label} is not set. Copy it in ${provider} (${place}), and enter it here.`,
  )
}

/** Refuses a request that has no signature. */
export function unsigned({ provider }: KeyPlace): Verification {
  return notGenuine(`The request is not signed. Check that ${provider} itself calls this address.`)
}

/** Refuses a request whose signature is another one. */
export function mismatch({ provider, label, place }: KeyPlace): Verification {
  return notGenuine(
    `The signature does not match the ${label}. Copy it again in ${provider} (${place}).`,
  )
}

/** Verifies a header that has the HMAC-SHA256 of the body, in hex. */
export function verifyBodySignature(
  { body }: WebhookRequest,
  signature: string | undefined,
  { signingKey, key }: { signingKey: string | null; key: KeyPlace },
): Verification {
  // Anyone can sign with an empty key.
  if (signingKey === null || signingKey === '') return missingKey(key)
  if (signature === undefined) return unsigned(key)
  const expected = hmac('sha256', signingKey, body).toString('hex')
  return isSameText(signature.toLowerCase(), expected) ? { isGenuine: true } : mismatch(key)
}

/** Returns what is wrong with a secret of Standard Webhooks: it is base64, with or without `whsec_` before it. */
export function checkStandardKey(signingKey: string, key: KeyPlace): string | undefined {
  return secretOf(signingKey) === undefined ? wrongSecret(key) : undefined
}

function wrongSecret({ provider, label, place }: KeyPlace): string {
  return `The ${label} is not one of ${provider}. Copy it again in ${provider} (${place}).`
}

/** Anyone can sign with an empty secret. */
function secretOf(signingKey: string): Buffer | undefined {
  const secret = decodeBase64(signingKey.trim().replace(/^whsec_/, ''))
  return secret?.length === 0 ? undefined : secret
}

/** The tolerance of the specification. */
const ageMsMax = 5 * 60_000

/** A sender that changes its secret signs with the old and the new one. */
const signaturesMax = 10

/**
 * Verifies a request as Standard Webhooks describes it. It has no token: a repeat has the same id, and is harmless.
 * @param prefix Of the headers: `svix`, or `webhook` as in the specification.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function verifyStandardWebhook(
  { headers, body }: WebhookRequest,
  { signingKey, now }: Pick<VerifyOptions, 'signingKey' | 'now'>,
  { prefix, key }: { prefix: string; key: KeyPlace },
): Verification {
  if (signingKey === null || signingKey === '') return missingKey(key)
  const secret = secretOf(signingKey)
  if (secret === undefined) return notGenuine(wrongSecret(key))
  const id = headers[`${prefix}-id`]
  const timestamp = headers[`${prefix}-timestamp`]
  const signatures = headers[`${prefix}-signature`]
  if (id === undefined || timestamp === undefined || signatures === undefined) return unsigned(key)
  const expected = hmac('sha256', secret, `${id}.${timestamp}.`, body).toString('base64')
  const isSigned = signatures
    .split(' ', signaturesMax)
    .some((signature) => isSameText(signature.replace(/^v1,/, ''), expected))
  if (!isSigned) return mismatch(key)
  return checkAge(timeOfSeconds(timestamp), { now, ageMsMax }) ?? { isGenuine: true }
}
