import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import type { Verification, VerifyOptions, WebhookRequest } from './provider-webhooks.ts'

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

/** Returns what is wrong with the signing key of a provider that signs nothing: it is `user:password`. */
export function checkBasicKey(signingKey: string): string | undefined {
  if (/^[^:]+:./s.test(signingKey)) return undefined
  return 'The provider signs nothing, so the signing key is a user and a password for Basic authorization. Enter them as USER:PASSWORD, or leave the signing key out.'
}

/**
 * Verifies a request of a provider that signs nothing: the secret in the address proves it. A signing key that is set
 * as `user:password` must be in its Basic authorization, too.
 */
export async function verifyBasic(
  { headers }: WebhookRequest,
  { signingKey }: VerifyOptions,
): Promise<Verification> {
  if (signingKey === null) return { isGenuine: true }
  const [, encoded] = /^basic +([^ ]+) *$/i.exec(headers['authorization'] ?? '') ?? []
  if (isSameText(Buffer.from(encoded ?? '', 'base64').toString('utf8'), signingKey))
    return { isGenuine: true }
  return notGenuine(
    encoded === undefined
      ? 'The request has no Basic authorization. Write user and password into the address at the provider: https://USER:PASSWORD@….'
      : 'The Basic authorization of the request is not the one that is set here. Write the same user and password here and into the address at the provider.',
  )
}
