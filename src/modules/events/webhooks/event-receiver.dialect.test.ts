import assert from 'node:assert/strict'
import { createHmac, sign } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { addTransport, addUser, uniqueName } from '../../../../test/callers.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import {
  addressOf,
  pathOf,
  publicUrl,
  WebhookFixture,
} from '../../../../test/transport-webhooks.ts'
import { createSelfSigned } from '../../../libraries/mailer/testing/certificates.case.test.ts'
import { neverDue, type ReceivedEventsTables } from '../events/table.ts'
import type { TransportWebhookTables } from './table.ts'

const sns = 'https://sns.eu-west-1.amazonaws.com'
const certificate = createSelfSigned({ names: ['sns.amazonaws.com'] })
const sesDsn = 'ses+api://KEY:SECRET@default?region=eu-west-1'
const mailgunDsn = 'mailgun+api://KEY:example.com@default'
const postmarkDsn = 'postmark+api://TOKEN@default'
const bounce = { RecordType: 'Bounce', Type: 'HardBounce', Email: 'a@rcpt.test', MessageID: 'p1' }

/** The servers of the providers: what they are asked, and what they answer. */
class Providers {
  readonly asked: string[] = []
  answer: (url: string, request: RequestInit) => Response = () => new Response(certificate.cert)

  readonly fetch: typeof fetch = async (input, request = {}) => {
    const { url } = new Request(input)
    this.asked.push(`${request.method ?? 'GET'} ${url}`)
    return this.answer(url, request)
  }
}

const providers = new Providers()

onEachDatabase(
  'a request of a provider',
  { config: { publicUrl }, providerFetch: providers.fetch, isStarted: false },
  (shared) => {
    const webhooks = new WebhookFixture(() => shared.service)

    beforeEach(() => {
      providers.answer = () => new Response(certificate.cert)
      providers.asked.length = 0
    })
    const topicOf = (name: string) => `arn:aws:sns:eu-west-1:1234567890:${name}`
    /** A message of SNS, signed. */
    const sesMessage = (more: Record<string, string> = {}) => {
      const message: Record<string, string> = {
        Type: 'Notification',
        MessageId: uniqueName('message'),
        TopicArn: topicOf('ses'),
        Message: JSON.stringify({
          eventType: 'Bounce',
          bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: 'a@rcpt.test' }] },
          mail: { messageId: 'ses-1', destination: ['a@rcpt.test'] },
        }),
        Timestamp: new Date(shared.clock.now()).toISOString(),
        SignatureVersion: '2',
        SigningCertURL: `${sns}/${uniqueName('SimpleNotificationService')}.pem`,
        ...more,
      }
      const signed = 'Message MessageId SubscribeURL Timestamp Token TopicArn Type'
      const text = signed
        .split(' ')
        .filter((name) => message[name] !== undefined)
        .map((name) => `${name}\n${message[name]}\n`)
        .join('')
      const signature = sign('sha256', Buffer.from(text), certificate.key).toString('base64')
      return { ...message, Signature: signature }
    }
    const sesConfirmation = (more: Record<string, string> = {}) =>
      sesMessage({
        Type: 'SubscriptionConfirmation',
        Token: '2336412f37',
        SubscribeURL: `${sns}/?Action=ConfirmSubscription&Token=2336412f37`,
        Message: 'You have chosen to subscribe.',
        ...more,
      })
    const mailgunEvent = (token: string, key = 'mailgun key') => {
      const timestamp = String(Math.floor(shared.clock.now() / 1_000))
      const signature = createHmac('sha256', key)
        .update(timestamp + token)
        .digest('hex')
      const event = {
        event: 'failed',
        severity: 'permanent',
        id: token,
        recipient: 'a@rcpt.test',
        timestamp: shared.clock.now() / 1_000,
        message: { headers: { 'message-id': '1@example.com' } },
      }
      return { signature: { timestamp, token, signature }, 'event-data': event }
    }

    test('of Amazon SNS confirms the subscription, and pins its topic', async () => {
      const { id, path } = await webhooks.create(sesDsn)
      const confirmed = await webhooks.post(path, sesConfirmation())
      assert.equal(confirmed.status, 200, confirmed.text)
      assert.ok(providers.asked.at(-1)?.includes('Action=ConfirmSubscription'))
      assert.equal((await webhooks.get(id)).lastEventAt, null)
      assert.equal((await webhooks.post(path, sesMessage())).status, 200)
      const [bounced] = await webhooks.eventsOf(id)
      assert.deepEqual(
        [bounced.type, bounced.class, bounced.providerId],
        ['bounced', 'hard', 'ses-1'],
      )
      const asked = providers.asked.length
      for (const message of [sesMessage, sesConfirmation]) {
        const other = await webhooks.post(path, message({ TopicArn: topicOf('other') }))
        assert.equal(other.status, 401, other.text)
      }
      assert.equal(providers.asked.length, asked)
      const { counts, problem } = await webhooks.get(id)
      assert.deepEqual([counts.bounced, counts.refused], [1, 2])
      assert.match(problem, /topic/)
      assert.equal((await webhooks.eventsOf(id)).length, 1)
    })

    test('of Amazon SNS that is forged pins nothing, and fetches nothing to confirm', async () => {
      const { id, path } = await webhooks.create(sesDsn)
      const forged = { ...sesConfirmation(), TopicArn: topicOf('forged') }
      assert.equal((await webhooks.post(path, forged)).status, 401)
      assert.ok(providers.asked.every((asked) => asked.endsWith('.pem')))
      assert.equal((await webhooks.post(path, sesMessage())).status, 200)
      assert.equal((await webhooks.eventsOf(id)).length, 1)
    })

    test('of Amazon SNS that names a strange topic is refused, and the counts are stored', async () => {
      const { id, path } = await webhooks.create(sesDsn)
      assert.equal((await webhooks.post(path, sesMessage())).status, 200)
      const TopicArn = `\0\ud800${'x'.repeat(100_000)}`
      assert.equal((await webhooks.post(path, sesMessage({ TopicArn }))).status, 401)
      const { counts, problem } = await webhooks.get(id)
      assert.deepEqual([counts.bounced, counts.refused], [1, 1])
      assert.ok(problem.length <= 600)
    })

    test('of two topics at once: one of them is pinned, and the other refused', async () => {
      const { id, path } = await webhooks.create(sesDsn)
      const messages = ['one', 'two'].map((name) => sesMessage({ TopicArn: topicOf(name) }))
      const answers = await Promise.all(messages.map((message) => webhooks.post(path, message)))
      const [taken, refused] = answers.map(({ status }) => status).sort()
      assert.equal(taken, 200)
      assert.ok(refused === 401 || refused === 403)
      assert.equal((await webhooks.eventsOf(id)).length, 1)
    })

    test('is answered 5xx while its sender cannot be confirmed, and is taken when it is repeated', async () => {
      const { id, path } = await webhooks.create(sesDsn)
      const confirmation = sesConfirmation()
      providers.answer = () => new Response('', { status: 500 })
      const unverified = await webhooks.post(path, confirmation)
      assert.deepEqual([unverified.status, unverified.headers['retry-after']], [503, '60'])
      providers.answer = (url) =>
        url.endsWith('.pem') ? new Response(certificate.cert) : new Response('', { status: 403 })
      const unconfirmed = await webhooks.post(path, confirmation)
      assert.equal(unconfirmed.status, 502)
      assert.match(unconfirmed.body.error, /could not be confirmed. sns.* answered 403/)
      const waiting = await webhooks.get(id)
      assert.deepEqual([waiting.counts.refused, waiting.problem], [0, unconfirmed.body.error])
      providers.answer = () => new Response(certificate.cert)
      assert.equal((await webhooks.post(path, confirmation)).status, 200)
      assert.equal((await webhooks.get(id)).problem, null)
    })

    test('that is replayed changes nothing, also at the same time', async () => {
      const { id, path } = await webhooks.create(mailgunDsn, { signingKey: 'mailgun key' })
      const event = mailgunEvent(uniqueName('token'))
      const answers = await Promise.all([1, 2, 3].map(() => webhooks.post(path, event)))
      answers.push(await webhooks.post(path, event))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
      assert.equal((await webhooks.eventsOf(id)).length, 1)
      const { counts, problem } = await webhooks.get(id)
      assert.deepEqual([counts.bounced, counts.refused, problem], [1, 3, null])
      const forged = await webhooks.post(path, mailgunEvent(uniqueName('token'), 'wrong'))
      assert.equal(forged.status, 401)
    })

    test('is answered 503 while too much of its transport waits, and others are not', async () => {
      const [full, other] = [await webhooks.create(postmarkDsn), await webhooks.create(postmarkDsn)]
      const waiting = {
        transport_id: full.id,
        provider: 'postmark',
        received_at: 0,
        due_at: neverDue - 1,
        attempts: 0,
        events: '[]',
        size: 256 * 1_048_576,
      }
      const { storage } = shared.service.app
      const db = storage.tables<ReceivedEventsTables>()
      await db.insertInto('received_events').values(waiting).execute()
      const refused = await webhooks.post(full.path, [])
      assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '60'])
      assert.equal((await webhooks.get(full.id)).problem, refused.body.error)
      assert.equal((await webhooks.post(other.path, [])).status, 200)
    })

    test('may have a token that another webhook has received', async () => {
      const token = uniqueName('token')
      for (const _ of [1, 2]) {
        const { id, path } = await webhooks.create(mailgunDsn, { signingKey: 'mailgun key' })
        assert.equal((await webhooks.post(path, mailgunEvent(token))).status, 200)
        assert.equal((await webhooks.eventsOf(id)).length, 1)
      }
    })

    test('is known by its token for a day', async () => {
      const { events, storage } = shared.service.app
      const { path } = await webhooks.create(mailgunDsn, { signingKey: 'mailgun key' })
      await webhooks.post(path, mailgunEvent(uniqueName('token')))
      const tokens = () =>
        storage.tables<TransportWebhookTables>().selectFrom('webhook_tokens').selectAll().execute()
      const known = (await tokens()).length
      shared.clock.advance(86_000_000)
      assert.equal(await events.store.pruneTokens(), 0)
      await webhooks.post(path, mailgunEvent(uniqueName('token')))
      shared.clock.advance(500_000)
      assert.equal(await events.store.pruneTokens(), known)
      assert.equal((await tokens()).length, 1)
    })

    test('of a provider that signs nothing is proved by the secret, and by Basic where that is set', async () => {
      const { id, path } = await webhooks.create(postmarkDsn)
      assert.equal((await webhooks.post(path, bounce)).status, 200)
      assert.equal((await webhooks.eventsOf(id))[0].type, 'bounced')
      const guarded = await webhooks.create(postmarkDsn, { signingKey: 'user:password' })
      const basic = (text: string) => ({
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(text).toString('base64')}`,
      })
      assert.equal((await webhooks.post(guarded.path, bounce)).status, 401)
      assert.equal((await webhooks.post(guarded.path, bounce, basic('user:wrong'))).status, 401)
      assert.equal((await webhooks.post(guarded.path, bounce, basic('user:password'))).status, 200)
    })

    test('is refused for its size before its signature is looked for', async () => {
      const { id, path } = await webhooks.create(sesDsn)
      const { status, text } = await webhooks.post(path, `[${'1,'.repeat(20_000)}1]`)
      assert.equal(status, 413, text)
      assert.equal((await webhooks.get(id)).counts.refused, 1)
    })

    test('is for one provider of a list only', async () => {
      const id = await webhooks.createTransport(
        `failover(sendgrid+api://KEY@default ${postmarkDsn})`,
      )
      const unnamed = await webhooks.put(id)
      assert.deepEqual([unnamed.status, Object.keys(unnamed.body.details)], [400, ['provider']])
      const paths = new Map<string, string>()
      for (const provider of ['sendgrid', 'postmark']) {
        const { status, body } = await webhooks.put(id, { provider })
        assert.deepEqual([status, body.webhook.provider], [201, provider])
        paths.set(provider, pathOf(body.webhook.url))
      }
      assert.equal((await webhooks.post(paths.get('sendgrid') ?? '', bounce)).status, 401)
      assert.equal((await webhooks.post(paths.get('postmark') ?? '', bounce)).status, 200)
      assert.equal((await webhooks.get(id, 'sendgrid')).counts.refused, 1)
      const { service } = shared
      await service.ask('DELETE', `${addressOf(id)}?provider=sendgrid`)
      const { body } = await service.ask('GET', `${addressOf(id)}s`)
      const [webhook, ...others] = body.webhooks
      assert.deepEqual(
        [webhook.provider, webhook.counts.bounced, others.length],
        ['postmark', 1, 0],
      )
    })

    test('has an address that only those see who may edit the transport', async () => {
      const { id, path } = await webhooks.create(postmarkDsn)
      const secret = path.split('/').at(-1) ?? ''
      const viewer = await addUser(shared.service, { multipleTransports: ['view'] })
      const { service } = shared
      const seen = await service.ask('GET', `${addressOf(id)}s`, undefined, { as: viewer.as })
      assert.equal(seen.status, 200, seen.text)
      assert.ok(!seen.text.includes(secret))
      assert.ok(seen.text.includes(`/webhooks/transports/${id}/********`))
      for (const [method, url] of [
        ['PUT', addressOf(id)],
        ['DELETE', addressOf(id)],
      ] as const)
        assert.equal((await service.ask(method, url, {}, { as: viewer.as })).status, 403)
      assert.equal((await webhooks.get(id)).url, `${publicUrl}${path}`)
    })

    test('needs a public URL to be set up', async () => {
      const local = await shared.openAnother({ providerFetch: providers.fetch, config: {} })
      const { id } = await addTransport(local, { mailerDsn: postmarkDsn })
      const answer = await local.ask('PUT', addressOf(id), {})
      assert.equal(answer.status, 409)
      const { body } = await local.ask('GET', `${addressOf(id)}s`)
      assert.deepEqual(body.webhooks, [])
      assert.match(body.problem, /MAILYARD_PUBLIC_URL/)
    })
  },
)
