import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addBrandUser } from '../../../test/brand-callers.ts'
import { addClientCaller, addUser, uniqueName } from '../../../test/callers.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { TestBody, TestCaller } from '../../../test/test-app.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts'
import type { EventType } from '../../core/published/event-types.ts'
import { brandData } from '../../core/published/index.ts'

/** The types of events, and the permissions that the same data needs elsewhere. */
const rights: [types: EventType[], permissions: Record<string, string[]>][] = [
  [
    ['delivery.accepted', 'delivery.refused', 'delivery.deferred', 'delivery.uncertain'],
    { email: ['view'], contact: ['view'] },
  ],
  [['delivery.bounced', 'delivery.complained'], { email: ['view'], contact: ['view'] }],
  [['suppression.created'], { contact: ['view'] }],
  [
    ['transport.down', 'transport.up', 'limit.reached', 'dkim.missing'],
    { multipleTransports: ['view'] },
  ],
  [['brake.applied', 'queue.delayed'], { queue: ['view'] }],
  [['mautic.unreachable', 'webhook.dead'], {}],
]

onEachDatabase('what a webhook shows', (shared) => {
  let receiver: WebhookReceiver
  before(async () => {
    receiver = await openWebhookReceiver()
  })
  after(() => receiver.close())

  const askAs =
    (as?: TestCaller) =>
    (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
      shared.ask(method, `/api/webhooks${path}`, body, as === undefined ? {} : { as })
  const ask = askAs()
  const inputOf = (events: readonly string[]) => ({
    name: 'Shop',
    url: `${receiver.url}/${uniqueName('hook')}`,
    events,
  })
  /** Adds a webhook. `typesSent` publishes an event of each of its types, and returns the types that are sent. */
  async function addWebhook(events: readonly EventType[], as?: TestCaller) {
    const input = inputOf(events)
    const { status, text, body } = await askAs(as)('POST', '/new', input)
    assert.equal(status, 201, text)
    const typesSent = async (brands: Partial<Record<EventType, number>> = {}) => {
      const { app } = shared.service
      receiver.requests.length = 0
      // Other tests may reach limits.
      const published = events.map((type) => ({
        type,
        data: { ...brandData(brands[type] ?? 0), of: input.url },
      }))
      await app.webhooks.publisher.publish(app.storage.tables(), published)
      app.webhooks.publisher.notify()
      await app.idle()
      const sent = receiver.requests
        .filter(({ path }) => input.url.endsWith(path))
        .map(({ body }) => JSON.parse(body))
      return sent.filter((each) => each.data.of === input.url).map(({ type }) => type)
    }
    return { id: body.webhook.id as number, typesSent }
  }

  test('takes its rights to create, edit, test and read the webhook', async () => {
    const everything = Object.assign({}, ...rights.map(([, permissions]) => permissions))
    for (const [events, permissions] of rights) {
      const allowed = (await addUser(shared.service, { api: ['full'], ...permissions })).as
      for (const type of events) await addWebhook([type], allowed)
      const { id } = await addWebhook(events)
      for (const area of Object.keys(permissions)) {
        const { [area]: _, ...others } = everything
        const refused = askAs((await addUser(shared.service, { api: ['full'], ...others })).as)
        for (const [method, path, body] of [
          ...events.map((type) => ['POST', '/new', inputOf([type])] as const),
          ['PATCH', `/${id}/edit`, { url: 'https://other.example' }],
          ['PATCH', `/${id}/edit`, { events: ['webhook.dead'] }],
          ['PATCH', '/batch/edit', [{ id, name: 'Other' }]],
          ['POST', `/${id}/rotateSecret`],
          ['POST', `/${id}/test`],
          ['GET', `/${id}/messages`],
          ['POST', `/${id}/messages/1/retry`],
        ] as const) {
          const answer = await refused(method, path, body)
          const status = answer.body.statusCodes?.[0] ?? answer.status
          assert.equal(status, 403, `${method} ${path} without ${area}: ${answer.text}`)
          assert.match(answer.text, new RegExp(`${area}:view`))
        }
        assert.equal((await refused('GET', `/${id}`)).status, 200)
      }
      assert.equal((await askAs(allowed)('POST', `/${id}/test`)).status, 200)
      assert.equal((await askAs(allowed)('GET', `/${id}/messages`)).status, 200)
    }
  })

  test('is not sent when its author may not see it any more, until a person who may saves the webhook', async () => {
    const permissions = { api: ['full'], contact: ['view'], multipleTransports: ['view'] }
    const events = ['suppression.created', 'limit.reached'] as const
    for (const { as, roleId } of [
      await addUser(shared.service, permissions),
      await addClientCaller(shared.service, permissions),
    ]) {
      const { id, typesSent } = await addWebhook(events, as)
      assert.deepEqual(await typesSent(), events)
      const rawPermissions = { ...permissions, contact: [] }
      await shared.ask('PATCH', `/api/roles/${roleId}/edit`, { rawPermissions })
      assert.deepEqual(await typesSent(), ['limit.reached'])
      const { messages } = (await ask('GET', `/${id}/messages?state=failed`)).body
      assert.match(messages[0].problem, /suppression\.created .* lacks contact:view/)
      assert.equal((await ask('GET', `/${id}`)).body.webhook.state, 'ok')
      await ask('PATCH', `/${id}/edit`, { name: 'Taken over' })
      assert.deepEqual(await typesSent(), events)
    }
  })

  test('is not sent where it needs a right, when its author is deleted or locked', async () => {
    for (const [method, end] of [
      ['DELETE', 'delete'],
      ['PATCH', 'edit'],
    ] as const) {
      const author = await addUser(shared.service, 'administrator')
      const { typesSent } = await addWebhook(['limit.reached', 'webhook.dead'], author.as)
      await shared.ask(method, `/api/users/${author.id}/${end}`, { isPublished: false })
      assert.deepEqual(await typesSent(), ['webhook.dead'], end)
    }
  })

  test('does not exist for callers of another brand, and one without a brand not for callers with any', async () => {
    const [brand, otherBrand] = [await addBrand(shared.service), await addBrand(shared.service)]
    const own = askAs((await addBrandUser(shared.service, [brand])).as)
    const foreign = askAs((await addBrandUser(shared.service, [otherBrand])).as)
    const created = (await own('POST', '/new', inputOf(['limit.reached']))).body.webhook
    assert.equal(created.brand, brand)
    const { id: ofNone } = await addWebhook(['limit.reached'])
    receiver.requests.length = 0
    const answers = async (id: number) => {
      const texts: string[] = []
      for (const [method, path, body] of [
        ['GET', ''],
        ['PATCH', '/edit', { name: 'Mine' }],
        ['DELETE', '/delete'],
        ['POST', '/rotateSecret'],
        ['POST', '/test'],
        ['GET', '/messages'],
        ['POST', '/messages/1/retry'],
        ['DELETE', '/messages/1/delete'],
      ] as const) {
        const { status, text } = await foreign(method, `/${id}${path}`, body)
        assert.equal(status, 404, `${method} ${path}: ${text}`)
        texts.push(text)
      }
      return texts
    }
    const missing = await answers(999_999)
    assert.deepEqual(await answers(created.id), missing)
    assert.deepEqual(await answers(ofNone), missing)
    assert.deepEqual(receiver.requests, [])
    assert.equal((await foreign('GET', '')).body.total, 0)
    assert.equal((await own('GET', '')).body.total, 1)
    assert.equal((await own('POST', `/${created.id}/test`)).status, 200)
  })

  test('of a brand has no events of another one: not those that were queued before it got the brand', async () => {
    const [brand, otherBrand] = [await addBrand(shared.service), await addBrand(shared.service)]
    const own = askAs((await addBrandUser(shared.service, [brand])).as)
    const { id, typesSent } = await addWebhook(['limit.reached', 'transport.up'])
    assert.deepEqual(await typesSent({ 'limit.reached': brand, 'transport.up': otherBrand }), [
      'limit.reached',
      'transport.up',
    ])
    const shownTypes = async (ask: typeof own) =>
      (await ask('GET', `/${id}/messages`)).body.messages.map(({ type }: TestBody) => type)
    assert.deepEqual(await shownTypes(ask), ['transport.up', 'limit.reached'])
    const { messages } = (await ask('GET', `/${id}/messages?type=transport.up`)).body
    await ask('PATCH', `/${id}/edit`, { brand })
    assert.deepEqual(await shownTypes(own), ['limit.reached'])
    assert.equal((await own('POST', `/${id}/messages/${messages[0].id}/retry`)).status, 404)
    receiver.requests.length = 0
    assert.equal((await ask('POST', `/${id}/messages/${messages[0].id}/retry`)).status, 200)
    await shared.service.app.idle()
    assert.deepEqual(receiver.requests, [])
    const failed = (await ask('GET', `/${id}/messages?state=failed`)).body.messages
    assert.match(failed[0].problem, /is not of the brand of the webhook/)
  })

  test('is not sent what is of brands that its author does not reach', async () => {
    const [brand, otherBrand] = [await addBrand(shared.service), await addBrand(shared.service)]
    const author = await addUser(shared.service, 'administrator')
    const { id, typesSent } = await addWebhook(['limit.reached'], author.as)
    assert.deepEqual(await typesSent({ 'limit.reached': otherBrand }), ['limit.reached'])
    await shared.askFor('PATCH', `/api/users/${author.id}/edit`, { brands: [brand] })
    assert.deepEqual(await typesSent({ 'limit.reached': brand }), ['limit.reached'])
    for (const hidden of [otherBrand, 0])
      assert.deepEqual(await typesSent({ 'limit.reached': hidden }), [])
    const { messages } = (await ask('GET', `/${id}/messages?state=failed`)).body
    assert.equal(messages.length, 2)
    assert.match(messages[0].problem, /lacks its brand/)
  })
})
