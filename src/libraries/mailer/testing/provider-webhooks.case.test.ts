import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findProviderWebhooks } from '../dsn/event-providers.ts'
import {
  eventTypes,
  type ProviderEvent,
  type ProviderWebhooks,
  type Verification,
  type VerifyOptions,
  WebhookError,
  type WebhookRequest,
} from '../events/provider-webhooks.ts'

/** An event of a request: what differs from what is read of each, or its type alone. */
type EventCase = ProviderEvent['type'] | (Pick<ProviderEvent, 'type'> & Partial<ProviderEvent>)

/** The body of a request as it is posted or as JSON, and its events. */
export type WebhookCase = [body: unknown, ...events: EventCase[]]

/** What is read of an event that says nothing. */
export const unread = {
  recipient: null,
  providerId: null,
  otherIds: [],
  at: null,
  class: null,
  reason: null,
  eventId: null,
}

/** What is read of an event with a reason. */
export const means = {
  hard: (reason: string) => ({ type: 'bounced', class: 'hard', reason }) as const,
  soft: (reason: string) => ({ type: 'bounced', class: 'soft', reason }) as const,
  rejected: (reason: string) => ({ type: 'rejected', reason }) as const,
  deferred: (reason: string) => ({ type: 'deferred', reason }) as const,
  delivered: (reason: string) => ({ type: 'delivered', reason }) as const,
}

/** Requests of events that say nothing of a delivery. */
export const ignored = (request: (name: string) => unknown, ...names: string[]): WebhookCase[] =>
  names.map((name) => [request(name), 'ignored'])

/** A request with all events of a table. */
export function batchOf<Event>(
  post: (events: Event[]) => unknown,
  rows: [event: Event, read: EventCase][],
): WebhookCase {
  return [post(rows.map(([event]) => event)), ...rows.map(([, read]) => read)]
}

/** A request as a provider signs it. */
interface SignedRequest {
  headers: Record<string, string>
  body: string
}

/** How a provider signs. */
export interface SigningCase {
  signingKey: string
  /** Another key of the same kind. */
  otherKey: string
  /** Signs a body of `requests` as the provider does at a time, in milliseconds since the epoch. */
  sign(body: string, at: number): SignedRequest
  /** From this age on a request is refused; undefined where the provider signs no time. */
  ageMsMax?: number
  /** Whether the signature covers the body. Default: yes. */
  coversBody?: boolean
  /** What the verification of a genuine request has in addition. */
  genuine?: Partial<Extract<Verification, { isGenuine: true }>>
}

/** All that a provider's webhooks have to show. */
export interface ProviderWebhooksCase {
  /** The folder's name. */
  provider: string
  /** What is read of each event, unless a case says otherwise. */
  read: Partial<ProviderEvent>
  requests: WebhookCase[]
  /** Undefined where only the secret in the address, and Basic if it is set, prove a request; 'apart' if it is tested apart. */
  signing?: SigningCase | 'apart'
}

const url = 'https://mail.example.com/webhooks/transports/1/SECRET'
const now = Date.parse('2026-11-26T12:00:00Z')

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

const requestOf = (body: string, headers: Record<string, string> = {}): WebhookRequest => ({
  url,
  headers,
  body: Buffer.from(body),
})

const optionsWith = (signingKey: string | null): VerifyOptions => ({
  signingKey,
  pinned: null,
  now,
  fetch: () => Promise.reject(new Error('Nothing is fetched.')),
})

/** Verifies a request with a key, and says whether it is genuine. */
export async function isGenuine(
  webhooks: ProviderWebhooks,
  { headers = {}, body = '{}' }: { headers?: Record<string, string>; body?: string },
  { key, at = now }: { key: string | null; at?: number },
): Promise<boolean | undefined> {
  const options = { ...optionsWith(key), now: at }
  return (await webhooks.verify?.(requestOf(body, headers), options))?.isGenuine
}

/** Finds the content type that a provider sends with a body. */
function contentTypeOf(text: string): string {
  if (text.startsWith('--')) return 'multipart/form-data; boundary=Bound'
  return /^[[{]/.test(text) ? 'application/json' : 'application/x-www-form-urlencoded'
}

/** Runs what the webhooks of every provider must pass. */
export function testProviderWebhooks(provider: ProviderWebhooksCase): void {
  const { provider: name, requests, signing } = provider
  const completed = (event: EventCase): ProviderEvent => ({
    ...unread,
    ...provider.read,
    ...(typeof event === 'string' ? { type: event } : event),
  })
  const webhooks = findProviderWebhooks(name)
  assert.ok(webhooks, name)

  for (const [body, ...events] of requests) {
    const text = textOf(body)
    const types = events.map((event) => completed(event).type).join(', ')
    test(`${name}: reads ${types || 'nothing'} in ${text.slice(0, 400)}`, async () => {
      for (const contentType of [contentTypeOf(text), undefined, 'text/plain; charset=UTF-8'])
        assert.deepEqual(
          await webhooks.read(Buffer.from(text), contentType),
          events.map(completed),
          contentType,
        )
    })
  }

  testRobustness(provider, webhooks)

  if (signing === undefined) testBasic(name, webhooks)
  else if (signing !== 'apart') testSigning(provider, signing, webhooks)
}

/** Stands for a number that a double cannot hold. */
const largeNumber = 'large number'

/** Values that stand where another type is expected. */
const oddValues = [
  null,
  true,
  0,
  -1,
  1e308,
  largeNumber,
  '',
  ' ',
  'x',
  '__proto__',
  '<>',
  '\0',
  [],
  {},
  [[]],
  [null],
  [{}],
  { a: [] },
  '\ud800',
  '99999999999999',
  '2026-99-99T99:99:99Z',
]

const jsonWith = (value: unknown): string =>
  JSON.stringify(value).replaceAll(`"${largeNumber}"`, '12345678901234567890')

function testRobustness(
  { provider: name, requests }: ProviderWebhooksCase,
  webhooks: ProviderWebhooks,
) {
  const readSafely = async (text: string, contentType?: string) => {
    try {
      for (const event of await webhooks.read(Buffer.from(text), contentType)) checkEvent(event)
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      assert.match(error.message, /\.$/)
    }
  }

  test(`${name}: any member may be missing or of another type`, async () => {
    for (const [body] of requests)
      for (const variant of variantsOf(parsed(body), () => oddValues))
        await readSafely(jsonWith(variant))
  })

  // A pattern whose time grows with the square of a text makes this test slow.
  test(`${name}: any text may be long`, async () => {
    for (const [body] of requests)
      for (const variant of variantsOf(parsed(body), longOf)) await readSafely(textOf(variant))
  })

  test(`${name}: any bytes are read or refused with a sentence`, async () => {
    const texts = requests.map(([body]) => textOf(body))
    const cut = fc
      .tuple(fc.constantFrom(...texts), fc.nat(400), fc.string({ maxLength: 3 }))
      .map(([text, at, added]) => text.slice(0, at) + added + text.slice(at + 1))
    const types = fc.constantFrom(
      undefined,
      'application/json',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'text/plain',
    )
    await fc.assert(fc.asyncProperty(fc.oneof(cut, fc.string(), fc.json()), types, readSafely), {
      numRuns: 300,
      seed: 1,
    })
  })

  test(`${name}: deep and repeated structures are read or refused`, async () => {
    for (const text of [
      '['.repeat(500_000),
      '{"a":'.repeat(100_000),
      '[{}'.concat(',{}'.repeat(200_000), ']'),
      '--'.repeat(500_000),
    ])
      await readSafely(text)
    await readSafely(`${'[12345678901234567890,'.repeat(20_000)}1${']'.repeat(20_000)}`)
  })

  test(`${name}: what is no webhook of a provider is refused with a sentence`, async () => {
    for (const text of ['<html>', '{', 'null', '7', '"x"'])
      await assert.rejects(webhooks.read(Buffer.from(text), 'application/json'), WebhookError)
  })
}

function parsed(body: unknown): unknown {
  try {
    return JSON.parse(textOf(body))
  } catch {
    return body
  }
}

/**
 * Returns copies of a value: each member in turn is missing, or one of `alternatives`. An element of a list is alone in its copy, so
 * that a long list takes no time that grows with its square.
 */
function* variantsOf(
  value: unknown,
  alternatives: (member: unknown) => readonly unknown[],
): Generator<unknown> {
  yield* alternatives(value)
  if (Array.isArray(value))
    for (const element of value)
      for (const variant of variantsOf(element, alternatives)) yield [variant]
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value)) {
      const { [key]: _, ...others } = value as Record<string, unknown>
      yield others
      for (const variant of variantsOf(member, alternatives)) yield { ...value, [key]: variant }
    }
}

const longLength = 500_000

/** A text, repeated until it is long. */
const longOf = (value: unknown): string[] =>
  typeof value === 'string' && value !== ''
    ? [value.repeat(Math.ceil(longLength / value.length))]
    : []

function checkEvent(event: ProviderEvent): void {
  const { type, recipient, providerId, otherIds, at, reason, eventId } = event
  assert.ok(type === 'ignored' || eventTypes.includes(type), type)
  for (const text of [recipient, providerId, reason, eventId, ...otherIds])
    assert.ok(text === null || (typeof text === 'string' && text !== ''), JSON.stringify(event))
  assert.ok(!otherIds.includes(providerId ?? ''))
  assert.ok(at === null || Number.isSafeInteger(at), JSON.stringify(event))
  if (at !== null) assert.doesNotThrow(() => new Date(at).toISOString())
  assert.equal(event.class === null, type !== 'bounced')
}

async function problemOf(
  webhooks: ProviderWebhooks,
  request: WebhookRequest,
  options: VerifyOptions,
): Promise<string> {
  const verification = await webhooks.verify?.(request, options)
  assert.ok(verification?.isGenuine === false, JSON.stringify(verification))
  assert.match(verification.problem, /^[A-Z].*\.$/)
  return verification.problem
}

function testSigning(
  { provider: name, requests }: ProviderWebhooksCase,
  signing: SigningCase,
  webhooks: ProviderWebhooks,
): void {
  const { signingKey, otherKey, ageMsMax, coversBody = true } = signing
  const text = textOf(requests[0]?.[0])
  const signedAt = (at: number) => {
    const { headers, body } = signing.sign(text, at)
    return requestOf(body, headers)
  }
  const problem = (request: WebhookRequest, key: string | null = signingKey) =>
    problemOf(webhooks, request, optionsWith(key))

  test(`${name}: every request is genuine as the provider signs it`, async () => {
    for (const [unsigned] of requests) {
      const { headers, body } = signing.sign(textOf(unsigned), now)
      const verify = webhooks.verify?.(requestOf(body, headers), optionsWith(signingKey))
      assert.deepEqual(await verify, { isGenuine: true, ...signing.genuine })
    }
  })

  test(`${name}: a request is refused without a key here, with another key, and without a signature`, async () => {
    assert.ok(webhooks.signingKeyLabel)
    assert.match(await problem(signedAt(now), null), /not set/)
    await problem(requestOf(text))
    for (const key of [otherKey, '', 'x', '::', '-----BEGIN PUBLIC KEY-----'])
      await problem(signedAt(now), key)
  })

  test(`${name}: a key of its form is accepted, and one of another form is refused as by its requests`, async () => {
    for (const key of [signingKey, otherKey]) assert.equal(webhooks.checkKey?.(key), undefined)
    const wrong = webhooks.checkKey?.('::')
    if (wrong !== undefined) assert.equal(await problem(signedAt(now), '::'), wrong)
  })

  if (coversBody)
    test(`${name}: a request is refused if one byte of its body changes`, async () => {
      const { headers, body } = signedAt(now)
      for (const at of [0, Math.floor(body.length / 2), body.length - 1]) {
        const changed = Buffer.from(body)
        changed[at] = (changed[at] ?? 0) ^ 1
        await problem({ url, headers, body: changed })
      }
    })

  if (ageMsMax !== undefined)
    test(`${name}: a request is refused if it is too old, or of the future`, async () => {
      const verify = (at: number) => webhooks.verify?.(signedAt(at), optionsWith(signingKey))
      assert.equal((await verify(now - ageMsMax + 60_000))?.isGenuine, true)
      assert.match(await problem(signedAt(now - ageMsMax - 60_000)), /ago/)
      assert.match(await problem(signedAt(now + 3_600_000)), /future/)
    })

  test(`${name}: a request of anyone is refused, and nothing throws`, async () => {
    const names = ['authorization', ...Object.keys(signedAt(now).headers)]
    const odd = fc.constantFrom('1764158400', 'AAAA', 'v1,AAAA', 'sha256=00', '=')
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), odd)),
        fc.oneof(fc.string(), fc.constant(text)),
        async (headers, body) => void (await problem(requestOf(body, headers))),
      ),
      { numRuns: 200, seed: 1 },
    )
  })
}

function testBasic(name: string, webhooks: ProviderWebhooks): void {
  const verify = (signingKey: string | null, headers: Record<string, string> = {}) =>
    webhooks.verify?.(requestOf('{}', headers), optionsWith(signingKey))
  const basic = (login: string) => ({
    authorization: `Basic ${Buffer.from(login).toString('base64')}`,
  })

  test(`${name}: the secret in the address is enough, and Basic counts if it is set`, async () => {
    if (webhooks.verify === undefined) return
    assert.deepEqual(await verify(null), { isGenuine: true })
    assert.deepEqual(await verify('ann:pass:word', basic('ann:pass:word')), { isGenuine: true })
    for (const headers of [
      {},
      basic('ann:other'),
      basic(''),
      { authorization: 'Bearer x' },
      { authorization: 'Basic' },
    ])
      assert.equal((await verify('ann:pass:word', headers))?.isGenuine, false)
  })

  test(`${name}: a signing key is a user and a password`, () => {
    assert.equal(webhooks.checkKey?.('ann:pass:word'), undefined)
    for (const key of ['', 'ann', 'ann:', ':pass'])
      assert.match(webhooks.checkKey?.(key) ?? '', /USER:PASSWORD, or leave .*\.$/)
  })
}
