import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Transaction } from 'kysely'
import { Webhook as Verifier } from 'standardwebhooks'
import { addUser } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { useMailCatcher } from '../../../test/mail-catcher.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { addQueued } from '../../../test/queue/test-queue.ts'
import { createSendFixture } from '../../../test/send-fixture.ts'
import type { TestBody, TestCaller } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'
import {
  openWebhookReceiver,
  type ReceivedRequest,
  type WebhookReceiver,
} from '../../../test/webhook-receiver.ts'
import { notifier } from '../../core/delivery/index.ts'
import type { PublishedEvent } from '../../core/published/index.ts'
import type { WebhookTables } from './table.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

onEachDatabase('webhooks', { isOwn: true }, (shared) => {
  const receivers: WebhookReceiver[] = []
  const catcher = useMailCatcher()
  const fixture = createSendFixture(() => shared.service)
  const db = () => shared.service.app.storage.tables<WebhookTables>()
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    shared.ask(method, `/api/webhooks${path}`, body)

  const openReceiver = async (values?: Parameters<typeof openWebhookReceiver>[0]) => {
    const receiver = await openWebhookReceiver(values)
    receivers.push(receiver)
    return receiver
  }
  async function addWebhook(values: object): Promise<{ id: number; secret: string }> {
    const webhook = { name: 'Shop', events: ['limit.reached'], ...values }
    return (await shared.askFor('POST', '/api/webhooks/new', webhook)).webhook
  }
  async function publish(...events: PublishedEvent[]) {
    const { publisher } = shared.service.app.webhooks
    await publisher.publish(db(), events)
    publisher.notify()
  }
  const limitReached = (limitId: number, cause = `limit ${limitId}`): PublishedEvent => ({
    type: 'limit.reached',
    data: { limitId, message: `Limit ${limitId} is reached.` },
    cause,
  })
  const numbers = ({ requests }: WebhookReceiver) =>
    requests.map(({ body }) => JSON.parse(body).data.limitId)
  const signaturesOf = ({ headers }: ReceivedRequest) =>
    String(headers['webhook-signature']).split(' ')
  const sign = ({ headers, body }: ReceivedRequest, secret: string) =>
    new Verifier(secret).sign(
      String(headers['webhook-id']),
      new Date(Number(headers['webhook-timestamp']) * 1_000),
      body,
    )
  const idle = () => shared.service.app.idle()
  const pass = (ms: number) => {
    shared.clock.advance(ms)
    return idle()
  }
  /** Publishes events, and waits until they are sent. */
  const deliver = async (...events: PublishedEvent[]) => {
    await publish(...events)
    await idle()
  }
  /** Opens a receiver, and a webhook to it. */
  const listen = async (values?: Parameters<typeof openReceiver>[0], webhook: object = {}) => {
    const receiver = await openReceiver(values)
    return { receiver, ...(await addWebhook({ url: receiver.url, ...webhook })) }
  }
  const stateOf = async (id: number) => (await ask('GET', `/${id}`)).body.webhook
  /** What was published to a webhook, the oldest first. */
  const eventsOf = async (id: number): Promise<TestBody[]> =>
    (await messagesOf(id)).messages.map(({ body }: TestBody) => JSON.parse(body)).reverse()
  const messagesOf = async (id: number, query = '') =>
    (await ask('GET', `/${id}/messages${query}`)).body

  afterEach(async () => {
    const { webhooks } = (await ask('GET', '')).body
    for (const { id } of webhooks) await ask('DELETE', `/${id}/delete`)
    await shared.service.app.webhooks.webhooks.prune()
    for (const receiver of receivers.splice(0)) receiver.close()
  })

  test('a receiver verifies messages with the library of Standard Webhooks, in their order', async () => {
    const { receiver, secret, id } = await listen()
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    await deliver(limitReached(1), limitReached(2), limitReached(3))
    assert.deepEqual(numbers(receiver), [1, 2, 3])
    const verifier = new Verifier(secret)
    for (const { body, headers } of receiver.requests) {
      const verified = verifier.verify(body, headers as Record<string, string>)
      assert.deepEqual(Object.keys(verified as object), ['type', 'timestamp', 'data'])
      assert.throws(() => verifier.verify(`${body} `, headers as Record<string, string>))
    }
    const { state, waiting, problem, lastSuccessAt } = await stateOf(id)
    assert.deepEqual([state, waiting, problem], ['ok', 0, null])
    assert.notEqual(lastSuccessAt, null)
  })

  test('a message that is repeated has the same id, and a signature of its own time', async () => {
    const { receiver, secret, id } = await listen({ status: 500, answer: 'out of memory' })
    await deliver(limitReached(1))
    const { state, problem } = await stateOf(id)
    assert.deepEqual([state, problem], ['failing', 'The receiver answered 500: out of memory'])
    receiver.status = 204
    await pass(10_000)
    assert.equal((await messagesOf(id, '?state=done')).total, 1)
    const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))
    assert.equal(ids.size, 1)
    const [message] = (await messagesOf(id)).messages
    assert.deepEqual([...ids], [message.webhookId])
    assert.ok(message.attempts > 1)
    const last = receiver.requests.at(-1) ?? assert.fail('no request')
    assert.deepEqual(signaturesOf(last), [sign(last, secret)])
    assert.equal((await stateOf(id)).state, 'ok')
  })

  test('after a rotation both secrets sign for 24 hours, and then the new one alone', async () => {
    const { receiver, secret: old, id } = await listen()
    const { secret } = (await shared.askFor('POST', `/api/webhooks/${id}/rotateSecret`)).webhook
    assert.notEqual(secret, old)
    const signaturesAfter = async (advanceMs: number) => {
      shared.clock.advance(advanceMs)
      await deliver(limitReached(1))
      const last = receiver.requests.at(-1) ?? assert.fail('no request')
      return [secret, old].map((key) => signaturesOf(last).includes(sign(last, key)))
    }
    assert.deepEqual(await signaturesAfter(dayMs - 60_000), [true, true])
    assert.deepEqual(await signaturesAfter(120_000), [true, false])
  })

  test('a receiver that fails for three days is dead, and another webhook gets that', async () => {
    const [receiver, other] = [await openReceiver(), await openReceiver()]
    receiver.status = 503
    const { id } = await addWebhook({ url: receiver.url, name: 'Broken' })
    const { id: otherId } = await addWebhook({ url: other.url, events: ['webhook.dead'] })
    await publish(limitReached(1), limitReached(2))
    const startedAt = shared.clock.now()
    for (; (await stateOf(id)).state !== 'dead'; await pass(6 * hourMs));
    assert.ok(shared.clock.now() - startedAt >= 3 * dayMs)
    await idle()
    assert.equal(other.requests.length, 1)
    const event = JSON.parse(other.requests[0]?.body ?? '')
    assert.deepEqual([event.type, event.data.webhookId], ['webhook.dead', id])
    assert.equal((await messagesOf(id, '?state=failed')).total, 2)
    const count = receiver.requests.length
    receiver.status = 200
    await publish(limitReached(3))
    assert.equal((await messagesOf(id)).total, 2)
    assert.equal(receiver.requests.length, count)
    const tested = await ask('POST', `/${id}/test`)
    assert.deepEqual(
      [tested.body.success, tested.body.status, tested.body.answer],
      [true, 200, 'ok'],
    )
    assert.equal((await stateOf(id)).state, 'ok')
    await deliver(limitReached(4))
    assert.equal(numbers(receiver).at(-1), 4)
    assert.equal((await stateOf(otherId)).state, 'ok')
  })

  test('a message that its receiver refuses for itself makes no webhook dead', async () => {
    const { receiver, id } = await listen({ status: 422 })
    await publish(limitReached(1))
    for (; (await messagesOf(id, '?state=failed')).total === 0; await pass(6 * hourMs));
    const { state, problem } = await stateOf(id)
    assert.deepEqual([state, problem], ['ok', 'The receiver answered 422: ok'])
    receiver.status = 200
    await deliver(limitReached(2))
    assert.equal((await stateOf(id)).problem, null)
  })

  test('a receiver that answers 410 is dead at once, until a person edits the webhook', async () => {
    const { receiver, id } = await listen({ status: 410 })
    await deliver(limitReached(1), limitReached(2))
    assert.equal((await messagesOf(id, '?state=failed')).total, 2)
    assert.equal((await stateOf(id)).state, 'dead')
    assert.equal(receiver.requests.length, 1)
    receiver.status = 200
    await ask('PATCH', `/${id}/edit`, { name: 'Repaired' })
    assert.equal((await stateOf(id)).state, 'ok')
    await deliver(limitReached(3))
    assert.equal(numbers(receiver).at(-1), 3)
    const [first] = (await messagesOf(id, '?state=failed')).messages
    await ask('POST', `/${id}/messages/${first.id}/retry`)
    await idle()
    assert.equal(numbers(receiver).at(-1), 2)
  })

  test('a receiver is called as late as it asks for', async () => {
    const { id } = await listen({ status: 429, answerHeaders: { 'retry-after': '7200' } })
    await deliver(limitReached(1))
    const [message] = (await messagesOf(id)).messages
    const dueMs = Date.parse(message.nextAttempt) - shared.clock.now()
    assert.ok(dueMs > 7_100_000, String(dueMs))
  })

  test('a receiver that never answers, and one that is down, hold up no other', async () => {
    const [hung, healthy] = [await openReceiver(), await openReceiver()]
    hung.status = null
    await addWebhook({ url: hung.url })
    const { id: downId } = await addWebhook({ url: 'http://127.0.0.1:1/' })
    await addWebhook({ url: healthy.url })
    await publish(...Array.from({ length: 120 }, (_, index) => limitReached(index)))
    await until(() => healthy.requests.length === 120, 'the healthy one gets all')
    assert.equal(hung.requests.length, 1)
    hung.hangUp()
    await idle()
    const { state, waiting } = await stateOf(downId)
    assert.deepEqual([state, waiting], ['failing', 120])
  })

  test('a receiver is called at once after a successful test, or an edit', async () => {
    const { receiver, id } = await listen()
    const failOne = async (first: number) => {
      receiver.status = 500
      await deliver(limitReached(first), limitReached(first + 1))
      receiver.status = 200
    }
    await failOne(1)
    assert.equal((await ask('POST', `/${id}/test`)).body.success, true)
    await idle()
    assert.equal(numbers(receiver).at(-1), 2)
    await failOne(3)
    await ask('PATCH', `/${id}/edit`, { name: 'Repaired' })
    await idle()
    assert.equal(numbers(receiver).at(-1), 4)
  })

  const askAs =
    (as: TestCaller) =>
    (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
      shared.ask(method, `/api/webhooks${path}`, body, { as })
  test('messages of types that a webhook asked for before are there for those who may see them', async () => {
    const { id } = await listen({}, { events: ['suppression.created', 'webhook.dead'] })
    await deliver({ type: 'suppression.created', data: { address: 'private@person.test' } })
    await deliver({ type: 'webhook.dead', data: {} })
    await ask('PATCH', `/${id}/edit`, { events: ['webhook.dead'] })
    const { messages } = await messagesOf(id)
    assert.equal(messages.length, 2)
    const limited = askAs((await addUser(shared.service, { api: ['full'] })).as)
    const seen = await limited('GET', `/${id}/messages`)
    assert.deepEqual([seen.body.total, seen.text.includes('private@person.test')], [1, false])
    for (const [index, status] of [200, 404].entries()) {
      const message = `/${id}/messages/${messages[index].id}`
      assert.equal((await limited('POST', `${message}/retry`)).status, status)
      assert.equal((await limited('DELETE', `${message}/delete`)).status, status)
    }
    const remover = askAs((await addUser(shared.service, { api: ['delete'] })).as)
    await deliver({ type: 'webhook.dead', data: {} })
    const [{ id: last }] = (await messagesOf(id)).messages
    assert.deepEqual((await remover('DELETE', `/${id}/messages/${last}/delete`)).body, {})
  })

  test('each webhook is tested once a minute, in either format', async () => {
    for (const format of ['standard', 'chat']) {
      const { id, receiver } = await listen({}, { format })
      const tests = await Promise.all(Array.from({ length: 5 }, () => ask('POST', `/${id}/test`)))
      assert.deepEqual(tests.map(({ status }) => status).toSorted(), [200, 429, 429, 429, 429])
      const refused = tests.find(({ status }) => status === 429)
      assert.equal(refused?.headers['retry-after'], '60')
      assert.equal(receiver.requests.length, 1)
      shared.clock.advance(60_000)
      assert.equal((await ask('POST', `/${id}/test`)).status, 200)
      shared.clock.advance(-hourMs)
      assert.equal((await ask('POST', `/${id}/test`)).status, 200)
    }
  })

  test('each message is retried once a minute', async () => {
    const { id, receiver } = await listen()
    await deliver(limitReached(1), limitReached(2))
    const { messages } = await messagesOf(id)
    const retry = (messageId: number) => ask('POST', `/${id}/messages/${messageId}/retry`)
    for (const message of messages) {
      const retries = await Promise.all(Array.from({ length: 5 }, () => retry(message.id)))
      assert.deepEqual(retries.map(({ status }) => status).toSorted(), [200, 429, 429, 429, 429])
      const refused = retries.find(({ status }) => status === 429)
      assert.equal(refused?.headers['retry-after'], '60')
      await idle()
    }
    assert.equal(receiver.requests.length, 4)
    assert.equal((await ask('POST', `/${id}/test`)).status, 200)
    shared.clock.advance(60_000)
    assert.equal((await retry(messages[0].id)).status, 200)
    assert.equal((await retry(1_000_000)).status, 404)
  })

  test('after a rotation of the data keys, both secrets of a webhook still sign', async () => {
    const { receiver, id, secret: old } = await listen()
    const { secret } = (await ask('POST', `/${id}/rotateSecret`)).body.webhook
    const { keyring, webhooks } = shared.service.app
    const sealed = () => db().selectFrom('webhooks').selectAll().executeTakeFirstOrThrow()
    const before = await sealed()
    const keyId = await keyring.rotate()
    assert.deepEqual(await webhooks.reseal(), [keyId])
    const after = await sealed()
    for (const column of ['url', 'secret', 'old_secret'] as const) {
      assert.ok(after[column]?.startsWith(`${keyId}.`), column)
      assert.notEqual(after[column], before[column])
    }
    await deliver(limitReached(1))
    const [request = assert.fail('no request')] = receiver.requests
    assert.deepEqual(
      signaturesOf(request),
      [secret, old].map((each) => sign(request, each)),
    )
  })

  test('two processes send each message once', async () => {
    if (!shared.service.app.storage.isShared) return
    const { receiver } = await listen()
    const { app: other } = await shared.openAnother()
    await publish(...Array.from({ length: 100 }, (_, index) => limitReached(index)))
    await Promise.all([idle(), other.idle()])
    assert.deepEqual([receiver.requests.length, new Set(numbers(receiver)).size], [100, 100])
  })

  test('an address that the outbound policy forbids is never called, and the problem says so', async () => {
    const { id } = await addWebhook({ url: 'http://169.254.169.254/latest/meta-data' })
    const tested = await ask('POST', `/${id}/test`)
    assert.deepEqual([tested.body.success, tested.body.status], [false, null])
    assert.match(tested.body.message, /outbound policy/)
    assert.doesNotMatch(tested.body.message, /meta-data/)
  })

  test('secrets are in no answer, log or row', async () => {
    const receiver = await openReceiver()
    receiver.status = 500
    const url = `${receiver.url.replace('http://', 'http://ann:open-sesame@')}/t0ken-in-path`
    receiver.answer = 'no t0ken-in-path and no open-sesame'
    const { id, secret } = await addWebhook({ url })
    await deliver(limitReached(1))
    const [request] = receiver.requests
    assert.equal(
      request?.headers['authorization'],
      `Basic ${Buffer.from('ann:open-sesame').toString('base64')}`,
    )
    const { as } = await addUser(shared.service, { api: ['view'] })
    const seen = await shared.ask('GET', `/api/webhooks/${id}`, undefined, { as })
    assert.equal(seen.body.webhook.url, `${new URL(receiver.url).origin}/********`)
    const kept = await ask('PATCH', `/${id}/edit`, { url: seen.body.webhook.url })
    assert.equal(kept.body.webhook.url, url)
    const rows = await db().selectFrom('webhooks').selectAll().execute()
    const states = await db().selectFrom('webhook_states').selectAll().execute()
    const texts = [JSON.stringify(rows), JSON.stringify(states), ...shared.service.logged]
    texts.push(seen.text, (await ask('GET', `/${id}/messages`)).text)
    for (const text of texts)
      for (const each of [secret, 'open-sesame', 't0ken-in-path'])
        assert.ok(!text.includes(each), `${each} in ${text}`)
  })

  test('a receiver that answers 200 with a large page has accepted the message', async () => {
    const { receiver, id } = await listen({ answer: `<html>${'x'.repeat(200_000)}` })
    await deliver(limitReached(1))
    const { state, waiting } = await stateOf(id)
    assert.deepEqual([state, waiting], ['ok', 0])
    assert.match((await ask('POST', `/${id}/test`)).body.answer, /^<html>x{290,300}$/)
    assert.equal(receiver.requests.length, 2)
  })

  test('an answer that is cut has no beginning of a secret', async () => {
    const receiver = await openReceiver()
    receiver.answer = `${'x'.repeat(295)} t0ken-in-path`
    const { id } = await addWebhook({ url: `${receiver.url}/t0ken-in-path` })
    const { answer } = (await ask('POST', `/${id}/test`)).body
    assert.match(answer, /^x{295} \*+$/)
  })

  test('unknown types, and addresses that are none, are named', async () => {
    const wrong = await ask('POST', '/new', { name: 'A', events: ['limit.reach'], url: 'ftp://a' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.body.details.events[0], /"limit.reach". Did you mean "limit.reached"\?/)
    assert.match(wrong.body.details.url[0], /http or https/)
    const none = await ask('POST', '/new', { name: 'A', events: ['limit.reached'] })
    assert.deepEqual(none.body.details, { url: ['is required'] })
    const empty = await ask('POST', '/new', { name: 'A', events: [], url: 'https://a.test/' })
    assert.equal(empty.status, 400)
  })

  test('chat gets one message an hour for each cause, and the number of the others', async () => {
    const { receiver, id } = await listen({}, { format: 'chat' })
    await publish({
      type: 'limit.reached',
      data: { limitId: 1, message: 'Limit <!channel> 1 is reached. @all: wait.' },
      cause: 'limit 1',
    })
    await idle()
    await publish(limitReached(1), limitReached(2))
    await deliver(...Array.from({ length: 40 }, () => limitReached(1)))
    assert.deepEqual([receiver.requests.length, (await stateOf(id)).waiting], [2, 0])
    shared.clock.advance(hourMs + 1_000)
    await deliver(limitReached(1))
    const texts = receiver.requests.map(({ body }) => JSON.parse(body).text as string)
    assert.match(texts[0] ?? '', /^Limit ‹!channel› 1 is reached\. @\u200ball: wait\.$/)
    assert.match(texts[1] ?? '', /^Limit 2 is reached\.$/)
    assert.match(texts[2] ?? '', /^Limit 1 is reached\. And 41 more\./)
  })

  test('two processes send one message an hour for each cause to a chat', async () => {
    if (!shared.service.app.storage.isShared) return
    const { receiver, id } = await listen({}, { format: 'chat' })
    const { app: other } = await shared.openAnother()
    for (let round = 0; round < 10; round += 1) {
      const own = publish(limitReached(1))
      await other.webhooks.publisher.publish(db(), [limitReached(1)])
      other.webhooks.publisher.notify()
      await own
    }
    await Promise.all([idle(), other.idle()])
    assert.deepEqual([receiver.requests.length, (await stateOf(id)).waiting], [1, 0])
    shared.clock.advance(hourMs + 1_000)
    await publish(limitReached(1))
    await Promise.all([idle(), other.idle()])
    const { text } = JSON.parse(receiver.requests[1]?.body ?? '')
    assert.match(text, /^Limit 1 is reached\. And 19 more\./)
  })

  test('outcomes of deliveries are published', async () => {
    const { receiver } = await listen({}, { events: ['delivery.accepted', 'delivery.refused'] })
    const transportId = await fixture.transport(catcher.dsn)
    const emailId = await fixture.email(transportId, { fromAddress: 'a@example.com' })
    const [contact] = await fixture.contacts(1)
    assert.deepEqual(await fixture.send(emailId, contact?.id ?? 0), { success: true })
    await idle()
    const { type, data } = JSON.parse(receiver.requests[0]?.body ?? '')
    assert.deepEqual(
      [type, data.transportId, data.contactId, data.sender],
      ['delivery.accepted', transportId, contact?.id, 'a@example.com'],
    )
  })

  test('an outcome that a person decides, and the end of a message that expires, are published; of notifications, none', async () => {
    const { service, clock } = shared
    const events = ['delivery.accepted', 'delivery.refused', 'delivery.deferred']
    const { id } = await addWebhook({ url: 'http://127.0.0.1:1/', events })
    const suffix = `${clock.now()}@rcpt.test`
    const [settled = '', late = ''] = ['settled', 'late'].map((name) => name + suffix)
    const uncertain = { outcome: 'uncertain' as const, started_at: clock.now() }
    const [deliveryId] = await logDeliveries(service, [{ ...uncertain, recipient: settled }])
    const path = `/api/deliveries/${deliveryId}/settle`
    await service.askFor('POST', path, { outcome: 'accepted' })
    const expired = { expires_at: clock.now() - 1 }
    const notification = { ...expired, recipient: `n${suffix}`, caller: notifier.name }
    await addQueued(service, clock.now(), notification)
    await addQueued(service, clock.now(), { ...expired, recipient: late })
    await idle()
    const published = await eventsOf(id)
    assert.deepEqual(
      published.map(({ type, data }) => [type, data.recipient, data.outcome]),
      [
        ['delivery.accepted', settled, 'accepted'],
        ['delivery.refused', late, 'expired'],
      ],
    )
  })

  test('a suppression is published once it is created, however it is: by the API, an import or a link', async () => {
    const { service } = shared
    const { id } = await addWebhook({ url: 'http://127.0.0.1:1/', events: ['suppression.created'] })
    const suffix = `${shared.clock.now()}@example.net`
    const [single, batch, imported, linked] = ['a', 'b', 'c', 'd'].map((name) => name + suffix)
    const values = { address: single, reason: 'bounced' }
    for (const status of [201, 200])
      assert.equal((await service.ask('POST', '/api/suppressions/new', values)).status, status)
    await service.ask('POST', '/api/suppressions/batch/new', [{ address: batch }, values])
    const csv = ['address,reason', `${imported},complained`, `${batch},bounced`].join('\n')
    const headers = { 'content-type': 'text/csv' }
    const answer = await service.ask('POST', '/api/suppressions/import', csv, { headers })
    assert.deepEqual([answer.body.created, answer.body.updated], [1, 1], answer.text)
    const ofLink = { address: linked ?? '', senderDomain: 'example.com', source: 'email 1' }
    await service.app.suppressions.add([{ ...ofLink, reason: 'unsubscribed' }])
    await service.app.suppressions.add([{ ...ofLink, reason: 'unsubscribed' }])
    const published = await eventsOf(id)
    assert.deepEqual(
      published.map(({ data }) => data),
      [
        { address: single, reason: 'bounced', senderDomain: null, source: null },
        { address: batch, reason: 'manual', senderDomain: null, source: null },
        { address: imported, reason: 'complained', senderDomain: null, source: 'import' },
        { ...ofLink, reason: 'unsubscribed' },
      ],
    )
  })

  test('a suppression and its event are stored together, or neither is', async () => {
    const { storage, suppressions, webhooks } = shared.service.app
    await addWebhook({ url: 'http://127.0.0.1:1/', events: ['suppression.created'] })
    const address = `undone${shared.clock.now()}@example.net`
    const isStored = async () => {
      const query = db().selectFrom('webhook_messages').select('body')
      const rows = await query.execute()
      return [
        rows.some(({ body }) => body.includes(address)),
        (await suppressions.reasonFor(address, { brand: 0, senderDomain: 'example.com' })) !==
          undefined,
      ]
    }
    const add = (isKept: boolean) =>
      storage.transaction(
        async (tx: Transaction<object>) => {
          await suppressions.add([{ address, senderDomain: 'example.com' }], tx)
          return isKept
        },
        { keeps: (kept) => kept },
      )
    await add(false)
    assert.deepEqual(await isStored(), [false, false])
    await add(true)
    assert.deepEqual(await isStored(), [true, true])
    assert.equal(webhooks.publisher.wants('suppression.created'), true)
  })

  test('more messages than may wait are given up, the oldest first', async () => {
    const { id } = await listen({ status: null })
    const { outbox } = shared.service.app.webhooks.webhooks
    await publish(...Array.from({ length: 20 }, (_, index) => limitReached(index)))
    await outbox.failQueued(id, 'Given up.', 5)
    const { messages, total } = await messagesOf(id, '?state=failed')
    assert.equal(total, 5)
    assert.equal(messages[0].problem, 'Given up.')
  })
})
