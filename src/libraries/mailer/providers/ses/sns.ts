import {
  createPublicKey,
  type KeyObject,
  verify as verifySignature,
  X509Certificate,
} from 'node:crypto'
import { memberOf, optionalText, timeOfDate } from '../../events/event-fields.ts'
import {
  type Verification,
  type VerifyOptions,
  WebhookError,
  type WebhookRequest,
} from '../../events/provider-webhooks.ts'
import { parseJson } from '../../events/read-body.ts'
import { checkAge, decodeBase64, notGenuine } from '../../events/verification.ts'

/** The host of Amazon SNS in a region. Other hosts that start with "sns." may be those of customers: a bucket of S3. */
const snsHost = /^sns\.[a-z]{2}(-[a-z]+)+-\d{1,2}\.amazonaws\.com(\.cn)?$/

/** SNS signs a message once, and repeats it for an hour at most. */
const ageMsMax = 60 * 60_000

/** The signed members of a message that confirms a subscription or its end, and of each type; absent ones are left out. */
const fields = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
const signedNames = new Map<unknown, readonly string[]>([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', fields],
  ['UnsubscribeConfirmation', fields],
])

/**
 * Verifies the signature of a message of Amazon SNS. A signature proves only that SNS sent it for anyone: later ones have
 * to be of the topic of the first.
 * @throws {WebhookError} if the certificate cannot be fetched at the moment.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
export async function verifySnsMessage(
  { body }: WebhookRequest,
  { pinned, now, fetch }: VerifyOptions,
): Promise<Verification> {
  const message = readMessage(body)
  const textOf = (name: string) => optionalText(memberOf(message, name))
  const names = signedNames.get(textOf('Type'))
  const signature = textOf('Signature')
  const topic = textOf('TopicArn')
  if (names === undefined || signature === null || topic === null)
    return notGenuine(
      'The request is not a signed message of Amazon SNS. In the subscription of the topic, switch "raw message delivery" off.',
    )
  if (pinned !== null && pinned !== topic)
    return notGenuine(
      `The message is of the topic ${topic}, but this address is for ${pinned}. Remove the webhook and set it up again to use another topic.`,
    )
  const age = checkAge(timeOfDate(textOf('Timestamp')), { now, ageMsMax })
  if (age !== undefined) return age
  const algorithm = algorithmOf(textOf('SignatureVersion'))
  const certificateUrl = snsUrl(textOf('SigningCertURL'))
  if (algorithm === undefined || certificateUrl?.pathname.endsWith('.pem') !== true)
    return notGenuine(
      'The certificate of the message is not one of Amazon SNS. Check that SNS itself calls this address.',
    )
  const key = await certificates.find(certificateUrl.href, { now, fetch })
  const signed = names.flatMap((name) => {
    const text = memberOf(message, name)
    return typeof text === 'string' ? [`${name}\n${text}\n`] : []
  })
  const bytes = decodeBase64(signature) ?? Buffer.alloc(0)
  if (key === undefined || !verifySignature(algorithm, Buffer.from(signed.join('')), key, bytes))
    return notGenuine(
      'The signature does not match the certificate of Amazon SNS. Check that SNS itself calls this address.',
    )
  if (textOf('Type') !== 'SubscriptionConfirmation') return { isGenuine: true, pin: topic }
  const confirmUrl = snsUrl(textOf('SubscribeURL'))?.href
  if (confirmUrl === undefined)
    return notGenuine(
      'The address that confirms the subscription is not one of Amazon SNS. Subscribe again.',
    )
  return { isGenuine: true, pin: topic, confirmUrl }
}

function readMessage(body: Uint8Array): unknown {
  try {
    return parseJson(body)
  } catch (error) {
    if (error instanceof WebhookError) return undefined
    throw error
  }
}

function algorithmOf(version: string | null): 'sha1' | 'sha256' | undefined {
  if (version === '1') return 'sha1'
  return version === '2' ? 'sha256' : undefined
}

/** Returns a URL of Amazon SNS; undefined for any other, and for one with a user or a port. */
function snsUrl(text: string | null): URL | undefined {
  const url = text === null ? null : URL.parse(text)
  if (url === null || url.protocol !== 'https:' || !snsHost.test(url.hostname)) return undefined
  return url.port === '' && url.username === '' && url.password === '' ? url : undefined
}

interface Certificate {
  readonly key: KeyObject
  readonly validFrom: number
  readonly validTo: number
}

/** The certificates of Amazon SNS by URL. A new one has a new URL. */
class SnsCertificates {
  readonly #sizeMax = 32
  readonly #byUrl = new Map<string, Promise<Certificate | undefined>>()

  /**
   * Finds the key of a certificate; undefined if there is none, or it is not valid now.
   * @throws {WebhookError} if it cannot be fetched at the moment.
   */
  async find(
    url: string,
    { now, fetch }: Pick<VerifyOptions, 'now' | 'fetch'>,
  ): Promise<KeyObject | undefined> {
    const certificate = await this.#get(url, fetch)
    if (certificate === undefined) return undefined
    return certificate.validFrom <= now && now <= certificate.validTo ? certificate.key : undefined
  }

  async #get(url: string, fetch: VerifyOptions['fetch']): Promise<Certificate | undefined> {
    const known = this.#byUrl.get(url)
    if (known !== undefined) return known
    const [oldest] = this.#byUrl.keys()
    if (this.#byUrl.size >= this.#sizeMax && oldest !== undefined) this.#byUrl.delete(oldest)
    const fetched = fetchCertificate(url, fetch)
    this.#byUrl.set(url, fetched)
    try {
      const certificate = await fetched
      // Only what is a certificate is kept.
      if (certificate === undefined) this.#byUrl.delete(url)
      return certificate
    } catch (error) {
      this.#byUrl.delete(url)
      throw error
    }
  }
}

const certificates = new SnsCertificates()

async function fetchCertificate(
  url: string,
  fetch: VerifyOptions['fetch'],
): Promise<Certificate | undefined> {
  const { status, text } = await fetchText(url, fetch)
  if (status >= 500) throw unreachable()
  if (status !== 200) return undefined
  try {
    const { publicKey, validFromDate, validToDate } = new X509Certificate(text)
    const key = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))
    return { key, validFrom: validFromDate.getTime(), validTo: validToDate.getTime() }
  } catch {
    return undefined
  }
}

async function fetchText(url: string, fetch: VerifyOptions['fetch']) {
  try {
    const response = await fetch(url, { redirect: 'error' })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    throw unreachable(error)
  }
}

function unreachable(cause?: unknown): WebhookError {
  return new WebhookError(
    'The certificate of Amazon SNS cannot be fetched at the moment, so the message cannot be verified. Check that this machine may connect to sns.*.amazonaws.com.',
    { cause },
  )
}
