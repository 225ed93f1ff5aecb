import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { addTransport, uniqueName } from './callers.ts'
import type { TestAnswer, TestApp, TestBody } from './test-app.ts'

/** What the tests configure as the public URL. */
export const publicUrl = 'https://mail.example.com'

/** A webhook of SendGrid whose requests are signed. */
export interface SignedWebhook {
  /** Of the transport. */
  id: number
  /** What SendGrid calls. */
  path: string
  privateKey: KeyObject
}

interface ReceivedTables {
  received_events: { transport_id: number; events: string }
}

/** Sets up webhooks of transports, and sends them what providers send. */
export class WebhookFixture {
  readonly #service: () => TestApp

  /** @param service The service; it may be opened later. */
  constructor(service: () => TestApp) {
    this.#service = service
  }

  /** Creates a transport, and returns its id. */
  async createTransport(mailerDsn = 'sendgrid+api://KEY@default'): Promise<number> {
    return (await addTransport(this.#service(), { mailerDsn })).id
  }

  /** Creates a transport with a webhook; returns the id and the path that the provider calls. */
  async create(mailerDsn: string, input: object = {}): Promise<{ id: number; path: string }> {
    const id = await this.createTransport(mailerDsn)
    const { body } = await this.put(id, input)
    return { id, path: pathOf(body.webhook.url) }
  }

  /** Creates a transport through SendGrid whose webhook has a key. */
  async createSigned(mailerDsn = 'sendgrid+api://KEY@default'): Promise<SignedWebhook> {
    const { publicKey: signingKey, privateKey } = createKeyPair()
    return { ...(await this.create(mailerDsn, { signingKey, provider: 'sendgrid' })), privateKey }
  }

  put(id: number, input: object = {}): Promise<TestAnswer> {
    return this.#service().ask('PUT', addressOf(id), input)
  }

  /** Returns the webhook of a provider; without a name, the first one. */
  async get(id: number, provider?: string): Promise<TestBody> {
    const { webhooks } = (await this.#service().ask('GET', `${addressOf(id)}s`)).body
    return webhooks.find((each: TestBody) => !provider || each.provider === provider)
  }

  /** Posts a body as a provider does, without a log-in. */
  post(
    path: string,
    body: unknown,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ): Promise<TestAnswer> {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    return this.#service().ask('POST', path, payload, { as: 'anonymous', headers })
  }

  /** Posts events as SendGrid does, signed at a time. */
  postSigned(webhook: SignedWebhook, events: unknown, at: number): Promise<TestAnswer> {
    const payload = typeof events === 'string' ? events : JSON.stringify(events)
    return this.post(webhook.path, payload, signedHeaders(webhook, payload, at))
  }

  /** Returns the events that are stored and not applied yet. */
  async eventsOf(id: number): Promise<TestBody[]> {
    const db = this.#service().app.storage.tables<ReceivedTables>()
    const rows = db.selectFrom('received_events').selectAll().where('transport_id', '=', id)
    return (await rows.execute()).flatMap((row) => JSON.parse(row.events) as TestBody[])
  }
}

/** Creates a key with which SendGrid signs, and the one that verifies it, as it is pasted. */
export function createKeyPair(): { publicKey: string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    privateKey,
  }
}

/** Where the webhook of a transport is managed. */
export function addressOf(id: number): string {
  return `/api/multipleTransports/${id}/webhook`
}

/** Returns the path of the address of a webhook. */
export function pathOf(url: string): string {
  return url.slice(publicUrl.length)
}

/** Signs a body as SendGrid does. */
export function signedHeaders(
  { privateKey }: SignedWebhook,
  payload: string,
  at: number,
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000))
  const signature = sign('sha256', Buffer.from(timestamp + payload), privateKey)
  return {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-signature': signature.toString('base64'),
    'x-twilio-email-event-webhook-timestamp': timestamp,
  }
}

/** An event of SendGrid. */
export function sendGridEvent(event = 'delivered', more: object = {}): object {
  return {
    email: 'ann@rcpt.test',
    timestamp: 1_780_000_000,
    event,
    sg_event_id: uniqueName('event'),
    sg_message_id: 'abc.filter-1',
    ...more,
  }
}
