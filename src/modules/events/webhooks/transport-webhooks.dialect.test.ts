import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import {
  addressOf,
  createKeyPair,
  pathOf,
  publicUrl,
  type SignedWebhook,
  sendGridEvent,
  signedHeaders,
  WebhookFixture,
} from '../../../../test/transport-webhooks.ts'
import type { TransportWebhookTables } from './table.ts'

onEachDatabase(
  'a webhook of a transport',
  { config: { publicUrl, sendmailCommand: ['/bin/false'] }, isStarted: false },
  (shared) => {
    const { ask, askFor } = shared
    const webhooks = new WebhookFixture(() => shared.service)
    const postSigned = (webhook: SignedWebhook, events: unknown, at = shared.clock.now()) =>
      webhooks.postSigned(webhook, events, at)

    test('is created with an address of its own, and a change keeps that', async () => {
      const id = await webhooks.createTransport()
      const none = (await ask('GET', `${addressOf(id)}s`)).body
      const providers = [{ name: 'sendgrid', title: 'SendGrid' }]
      assert.deepEqual(none, { webhooks: [], providers, problem: null })
      const created = await webhooks.put(id)
      assert.equal(created.status, 201)
      const { webhook } = created.body
      assert.match(webhook.url, new RegExp(`^${publicUrl}/webhooks/transports/${id}/[\\w-]{32}$`))
      assert.deepEqual(created.body.webhooks, [webhook])
      // Some providers look whether the address exists.
      for (const method of ['GET', 'HEAD'] as const) {
        const path = pathOf(webhook.url)
        assert.equal((await ask(method, path, undefined, { as: 'anonymous' })).status, 200)
      }
      assert.ok(webhook.steps.some((step: string) => step.includes(webhook.url)))
      assert.deepEqual(
        [webhook.provider, webhook.providerTitle, webhook.signingKey, webhook.signingKeyLabel],
        ['sendgrid', 'SendGrid', null, 'Verification key'],
      )
      assert.deepEqual(new Set(Object.values(webhook.counts)), new Set([0]))
      const changed = await webhooks.put(id, { signingKey: `\n ${createKeyPair().publicKey} \n` })
      assert.deepEqual([changed.status, changed.body.webhook.url], [200, webhook.url])
      assert.equal(changed.body.webhook.signingKey, '********')
      for (const [signingKey, shown] of [
        ['********', '********'],
        [undefined, '********'],
        [null, null],
      ]) {
        const { body } = await webhooks.put(id, signingKey === undefined ? {} : { signingKey })
        assert.equal(body.webhook.signingKey, shown)
        assert.equal((await webhooks.get(id)).url, webhook.url)
      }
    })

    test('takes no signing key that cannot be one of its provider', async () => {
      const id = await webhooks.createTransport()
      for (const signingKey of [' ', 'a key']) {
        const { status, body } = await webhooks.put(id, { signingKey })
        assert.deepEqual([status, Object.keys(body.details)], [400, ['signingKey']])
      }
      assert.deepEqual((await ask('GET', `${addressOf(id)}s`)).body.webhooks, [])
    })

    test('of two requests at once that create it, both have the same address', async () => {
      const id = await webhooks.createTransport()
      const answers = await Promise.all([webhooks.put(id), webhooks.put(id), webhooks.put(id)])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 201])
      assert.equal(new Set(answers.map(({ body }) => body.webhook.url)).size, 1)
    })

    test('is refused for a DSN without such a provider, and needs a name where there are several', async () => {
      const plain = await webhooks.put(await webhooks.createTransport('smtp://localhost'))
      assert.equal(plain.status, 400)
      const other = await webhooks.put(await webhooks.createTransport(), { provider: 'ses' })
      assert.deepEqual([other.status, Object.keys(other.body.details)], [400, ['provider']])
      assert.equal((await webhooks.put(987_654)).status, 404)
      const smtp = await webhooks.put(
        await webhooks.createTransport('smtp://apikey:KEY@smtp.sendgrid.net'),
      )
      assert.equal(smtp.body.webhook.provider, 'sendgrid')
    })

    for (const dsn of ['smtp://relay.example.com', 'smtps://u:p@10.0.0.1', 'sendmail://default'])
      test(`is of the provider that a caller names where the server is not known: ${dsn}`, async () => {
        const id = await webhooks.createTransport(dsn)
        const { providers, otherProviders } = (await ask('GET', `${addressOf(id)}s`)).body
        assert.deepEqual(providers, [])
        assert.ok(otherProviders.some(({ name }: { name: string }) => name === 'postal'))
        for (const [body, words] of [
          [{}, /is not known\. .* one of .*postal/],
          [{ provider: 'gmail' }, /is not known\. .* one of .*postal/],
          [{ provider: '__proto__' }, /is not known/],
        ] as const) {
          const { status, text } = await webhooks.put(id, body)
          assert.equal(status, 400, text)
          assert.match(text, words)
        }
        const { publicKey, privateKey } = createKeyPair()
        const created = await webhooks.put(id, { provider: 'sendgrid', signingKey: publicKey })
        assert.equal(created.status, 201, created.text)
        const { url } = created.body.webhook
        const signed = { id, path: pathOf(url), privateKey }
        assert.equal((await postSigned(signed, [sendGridEvent('delivered')])).status, 200)
        assert.equal((await webhooks.get(id)).counts.delivered, 1)
        assert.equal((await webhooks.put(id, { provider: 'postal' })).status, 201)
      })

    test('is of no other provider where the DSN names each server', async () => {
      for (const [dsn, words] of [
        ['smtp://apikey:KEY@smtp.sendgrid.net', /provider must be sendgrid: the DSN names/],
        ['failover(sendgrid://KEY@default postmark://KEY@default)', /one of sendgrid, postmark: /],
        ['smtp://u:p@smtp.gmail.com:587', /no provider whose events Mailyard reads/],
        ['inbox://local', /no provider whose events/],
      ] as const) {
        const id = await webhooks.createTransport(dsn)
        const { status, text } = await webhooks.put(id, { provider: 'postal' })
        assert.equal(status, 400, text)
        assert.match(text, words)
        const { otherProviders } = (await ask('GET', `${addressOf(id)}s`)).body
        assert.equal(otherProviders, undefined)
      }
      const mixed = 'failover(sendgrid://KEY@default smtp://relay.example.com)'
      const id = await webhooks.createTransport(mixed)
      assert.equal((await webhooks.put(id)).body.webhook.provider, 'sendgrid')
      assert.equal((await webhooks.put(id, { provider: 'postal' })).body.webhook.provider, 'postal')
    })

    test('stores events before it answers, and counts them by type', async () => {
      const signed = await webhooks.createSigned()
      const events = [
        sendGridEvent('delivered'),
        sendGridEvent('bounce', { type: 'bounce', reason: '550 no such user' }),
        sendGridEvent('open'),
      ]
      const answer = await postSigned(signed, events)
      assert.deepEqual([answer.status, answer.body], [200, { success: true }])
      const [delivered, bounced, ...others] = await webhooks.eventsOf(signed.id)
      assert.deepEqual([delivered.type, bounced.type, others], ['delivered', 'bounced', []])
      assert.equal(bounced.reason, '550 no such user')
      const { counts, lastEventAt, problem } = await webhooks.get(signed.id)
      assert.deepEqual([counts.delivered, counts.bounced, counts.ignored], [1, 1, 1])
      assert.deepEqual([lastEventAt !== null, problem], [true, null])
    })

    test('changes nothing for a request that is not genuine, and says why it refused the last one', async () => {
      const signed = await webhooks.createSigned()
      const other = await webhooks.createSigned()
      const events = [sendGridEvent()]
      const forged = { ...signed, privateKey: other.privateKey }
      const answers = [
        await webhooks.post(signed.path, events),
        await postSigned(forged, events),
        await postSigned(signed, events, shared.clock.now() - 3_600_000),
      ]
      for (const { status, body } of answers) assert.deepEqual([status, body.success], [401, false])
      const refused = await webhooks.get(signed.id)
      assert.deepEqual([refused.counts.refused, refused.lastEventAt], [3, null])
      assert.equal(refused.problem, answers[2]?.body.error)
      assert.deepEqual(await webhooks.eventsOf(signed.id), [])
      shared.clock.advance(1_000)
      assert.equal((await postSigned(signed, events)).status, 200)
      const accepted = await webhooks.get(signed.id)
      assert.deepEqual([accepted.problem, accepted.counts.refused], [null, 3])
    })

    test('answers wrong secrets 429 after sixty, and the right one as before', async () => {
      const from = (remoteAddress: string) => async (path: string) => {
        const answer = await shared.service.server.inject({
          method: 'GET',
          url: path,
          remoteAddress,
        })
        return [answer.statusCode, Number(answer.headers['retry-after'] ?? 0) > 0]
      }
      const guess = from('192.0.2.7')
      const used = await webhooks.createSigned()
      const guesses = Array.from({ length: 100 }, (_, index) =>
        guess(`/webhooks/transports/${index % 2 === 0 ? used.id : 987_654}/wrong${index}`),
      )
      const answers = await Promise.all(guesses)
      assert.equal(answers.filter(([status]) => status === 404).length, 60)
      assert.equal(answers.filter(([status, waits]) => status === 429 && waits).length, 40)
      assert.deepEqual(await guess(used.path), [200, false])
      assert.deepEqual(await from('192.0.2.9')(`${used.path}x`), [404, false])
      await ask('DELETE', addressOf(used.id))
      assert.deepEqual(await guess(used.path), [429, true])
    })

    test('answers a wrong secret as an unknown transport, and counts it', async () => {
      const { id, path } = await webhooks.createSigned()
      const wrong = `${path.slice(0, -3)}abc`
      const bodies = [
        (await webhooks.post(wrong, [])).body,
        (await webhooks.post('/webhooks/transports/987654/x', [])).body,
        (await webhooks.post('/webhooks/transports/x/x', [])).body,
        (await ask('GET', wrong, undefined, { as: 'anonymous' })).body,
      ]
      const [first] = bodies
      assert.match(first.error, /no webhook at this address/)
      for (const body of bodies) assert.deepEqual(body, first)
      assert.equal((await webhooks.get(id)).counts.refused, 2)
    })

    test('refuses a body that it cannot read, and one of more than a megabyte', async () => {
      const signed = await webhooks.createSigned()
      const faulty = await postSigned(signed, 'not JSON')
      assert.deepEqual([faulty.status, faulty.body.success], [400, false])
      const large = await postSigned(signed, `["${'x'.repeat(1_048_576)}"]`)
      assert.equal(large.status, 413)
      assert.match(large.body.error, /larger than 1048576 bytes/)
      assert.equal((await webhooks.get(signed.id)).counts.refused, 2)
      assert.deepEqual(await webhooks.eventsOf(signed.id), [])
    })

    test('writes a flood of forged requests once a second, and none of them as a row', async () => {
      const signed = await webhooks.createSigned()
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, count) =>
          webhooks.post(count % 10 === 0 ? `${signed.path}x` : signed.path, [sendGridEvent()]),
        ),
      )
      const statuses = answers.map(({ status }) => status)
      assert.deepEqual(new Set(statuses), new Set([401, 404]))
      assert.equal((await webhooks.get(signed.id)).counts.refused, 300)
      assert.deepEqual(await webhooks.eventsOf(signed.id), [])
      assert.equal((await postSigned(signed, [sendGridEvent()])).status, 200)
    })

    test('of another process counts in the same place', async () => {
      const signed = await webhooks.createSigned()
      const another = await shared.openAnother({ config: { publicUrl } })
      const payload = JSON.stringify([sendGridEvent()])
      const headers = signedHeaders(signed, payload, shared.clock.now())
      for (const service of [shared.service, another])
        await service.ask('POST', signed.path, payload, { as: 'anonymous', headers })
      await another.app.events.counts.flush()
      assert.equal((await webhooks.get(signed.id)).counts.delivered, 2)
    })

    test('is written to no log with its secret or its signing key', async () => {
      const signed = await webhooks.createSigned()
      const secret = signed.path.split('/').at(-1) ?? ''
      const first = shared.service.logged.length
      for (const path of [signed.path, `${signed.path}/more`, `/%77ebhooks${signed.path.slice(9)}`])
        for (const method of ['POST', 'GET', 'PUT'] as const) {
          const { text: answer } = await ask(method, `${path}?a=1`, '{}', { as: 'anonymous' })
          assert.ok(!answer.includes(secret), answer)
        }
      await shared.service.app.events.counts.flush()
      const logged = shared.service.logged.slice(first).join('\n')
      assert.match(logged, /\/webhooks\/transports\/\d+\/…/)
      assert.match(logged, /webhook of a provider refused/)
      assert.equal(
        logged.split('\n').find((line) => line.includes(secret)),
        undefined,
      )
      const metrics = await ask('GET', '/metrics')
      assert.ok(!metrics.text.includes(secret))
      assert.match(metrics.text, /\/webhooks\/transports\/:id\/:secret/)
    })

    test('stays readable after a rotation of the keys, and its old data key can be deleted', async () => {
      const signed = await webhooks.createSigned()
      const { keyring, events } = shared.service.app
      const before = (await webhooks.get(signed.id)).url
      const keyId = await keyring.rotate()
      assert.deepEqual(await events.store.reseal(), [keyId])
      assert.equal((await webhooks.get(signed.id)).url, before)
      assert.equal((await postSigned(signed, [sendGridEvent()])).status, 200)
      const db = shared.service.app.storage.tables<TransportWebhookTables>()
      const row = await db
        .selectFrom('transport_webhooks')
        .selectAll()
        .where('transport_id', '=', signed.id)
        .executeTakeFirstOrThrow()
      assert.ok(row.secret.startsWith(`${keyId}.`) && row.signing_key?.startsWith(`${keyId}.`))
    })

    test('ends with its deletion: its address is refused, and a new one is another', async () => {
      const signed = await webhooks.createSigned()
      const removed = await ask('DELETE', addressOf(signed.id))
      assert.deepEqual([removed.status, removed.body.success], [200, true])
      assert.equal((await postSigned(signed, [sendGridEvent()])).status, 404)
      assert.equal((await ask('DELETE', addressOf(signed.id))).status, 404)
      assert.notEqual(pathOf((await webhooks.put(signed.id)).body.webhook.url), signed.path)
    })

    test('is refused while its transport is deleted, and is back when that is restored', async () => {
      const signed = await webhooks.createSigned()
      const deleted = await ask('DELETE', `/api/multipleTransports/${signed.id}/delete`)
      assert.match(deleted.body.message, /Its webhook receives no events until it is restored\./)
      assert.equal((await postSigned(signed, [sendGridEvent()])).status, 404)
      await shared.service.app.events.store.pruneWebhooks()
      await askFor('POST', `/api/multipleTransports/${signed.id}/restore`)
      assert.equal((await postSigned(signed, [sendGridEvent()])).status, 200)
    })

    test('is deleted when its transport cannot be restored any more', async () => {
      const signed = await webhooks.createSigned()
      await ask('DELETE', `/api/multipleTransports/${signed.id}/delete`)
      const { storage, events } = shared.service.app
      const deleted = storage.tables<{ deleted_records: { kind: string; id: number } }>()
      await deleted.deleteFrom('deleted_records').where('id', '=', signed.id).execute()
      await events.store.pruneWebhooks()
      const rows = storage
        .tables<TransportWebhookTables>()
        .selectFrom('transport_webhooks')
        .selectAll()
      assert.deepEqual(await rows.where('transport_id', '=', signed.id).execute(), [])
    })
  },
)
