import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { timeOfSeconds } from './event-fields.ts'
import type {
  ProviderWebhooks,
  Verification,
  VerifyOptions,
  WebhookRequest,
} from './provider-webhooks.ts'

type NotGenuine = Extract<Verification, { isGenuine: false }>

/** Creates the verification of a request that is not genuine. `problem` is a sentence that says what to do. */
export function notGenuine(problem: string): NotGenuine {
  return { isGenuine: false, problem }
}

/** Whether two texts are the same. The time that it takes does not depend on where they differ. */
export function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** Computes the HMAC of the parts, one after the other. */
export function hmac(
  algorithm: 'sha1' | 'sha256',
  key: string | Uint8Array,
  ...parts: readonly (string | Uint8Array)[]
): Buffer {
  const sum = createHmac(algorithm, key)
  for (const part of parts) sum.update(part)
  return sum.digest()
}

/** Decodes base64 without line breaks; undefined where it is none, which `Buffer.from` would skip. */
export function decodeBase64(text: string): Buffer | undefined {
  const isBase64 = text.length <= 8_192 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)
  return isBase64 ? Buffer.from(text, 'base64') : undefined
}

/** Reads a public key, as PEM or as its base64; undefined where it is none of this type. */
export function readPublicKey(text: string, type: 'ec' | 'rsa'): KeyObject | undefined {
  const der = decodeBase64(text.replace(/-----[A-Z ]+-----|\s/g, ''))
  try {
    const key = createPublicKey({ key: der ?? '', format: 'der', type: 'spki' })
    return key.asymmetricKeyType === type ? key : undefined
  } catch {
    return undefined
  }
}

/** How long the clocks of the provider and of this machine may differ. */
const clockDifferenceMsMax = 5 * 60_000

/** Checks the time of a request, in milliseconds since the epoch. Returns the problem, or undefined. */
export function checkAge(
  at: number | null,
  { now, ageMsMax }: { now: number; ageMsMax: number },
): NotGenuine | undefined {
  if (at === null)
    return notGenuine(
      'The request does not say when it was signed. Check that the provider calls this address itself.',
    )
  if (now - at > ageMsMax)
    return notGenuine(
      `The request was signed more than ${Math.round(ageMsMax / 60_000)} minutes ago, so it may be a replay. Check the clock of this machine (NTP).`,
    )
  if (at - now > clockDifferenceMsMax)
    return notGenuine('The request was signed in the future. Set the clock of this machine (NTP).')
  return undefined
}

/**
 * Requests of a provider that signs nothing: the secret in the address proves them. A signing key that is set as
 * `user:password` must be in their Basic authorization, too.
 */
export const unsignedWebhook: Pick<ProviderWebhooks, 'checkKey' | 'verify'> = {
  checkKey(signingKey) {
    if (/^[^:]+:./s.test(signingKey)) return undefined
    return 'The provider signs nothing, so the signing key is a user and a password for Basic authorization. Enter them as USER:PASSWORD, or leave the signing key out.'
  },
  async verify({ headers }, { signingKey }) {
    if (signingKey === null) return { isGenuine: true }
    const [, encoded] = /^basic +([^ ]+) *$/i.exec(headers['authorization'] ?? '') ?? []
    if (isSameText(Buffer.from(encoded ?? '', 'base64').toString('utf8'), signingKey))
      return { isGenuine: true }
    return notGenuine(
      encoded === undefined
        ? 'The request has no Basic authorization. Write user and password into the address at the provider: https://USER:PASSWORD@….'
        : 'The Basic authorization of the request is not the one that is set here. Write the same user and password here and into the address at the provider.',
    )
  },
}

/** What the key of a provider is called there, and where it is found: `Webhooks, the page of the webhook`. */
export interface KeyPlace {
  readonly provider: string
  /** `signing secret` */
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

function labelOf({ label }: KeyPlace): string {
  return label.charAt(0).toUpperCase() + label.slice(1)
}

type SignedWebhook = Pick<ProviderWebhooks, 'signingKeyLabel' | 'checkKey' | 'verify'>

/** Requests that have the HMAC-SHA256 of their body in a header, in hex. */
export function bodySignature(header: string, key: KeyPlace): SignedWebhook {
  return {
    signingKeyLabel: labelOf(key),
    async verify({ headers, body }, { signingKey }) {
      const signature = headers[header]
      // Anyone can sign with an empty key.
      if (signingKey === null || signingKey === '') return missingKey(key)
      if (signature === undefined) return unsigned(key)
      const expected = hmac('sha256', signingKey, body).toString('hex')
      return isSameText(signature.toLowerCase(), expected) ? { isGenuine: true } : mismatch(key)
    },
  }
}

/** Standard Webhooks: the secret is base64, with or without `whsec_` before it. */
export function standardWebhook(key: KeyPlace): SignedWebhook {
  return {
    signingKeyLabel: labelOf(key),
    checkKey: (signingKey) => (secretOf(signingKey) === undefined ? wrongSecret(key) : undefined),
    verify: async (request, { signingKey, now }) =>
      verifyStandardWebhook(request, { signingKey, now, key }),
  }
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
 * A request has no token: a repeat has the same id, and is harmless. Its headers begin with `webhook`, or `svix` as before.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function verifyStandardWebhook(
  { headers, body }: WebhookRequest,
  { signingKey, now, key }: Pick<VerifyOptions, 'signingKey' | 'now'> & { key: KeyPlace },
): Verification {
  const prefix = headers['svix-id'] === undefined ? 'webhook' : 'svix'
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
