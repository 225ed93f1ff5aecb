import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { addBrand } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { until } from '../../../test/until.ts'
import { brandData } from '../../core/published/index.ts'
import type { EventPublisher } from './event-publisher.ts'
import type { WebhookFormat, WebhookTables } from './table.ts'

onEachDatabase('published events', { isStarted: false }, (shared) => {
  const db = () => shared.service.app.storage.tables<WebhookTables>()
  const publisher = (): EventPublisher => shared.service.app.webhooks.publisher

  async function addWebhook(events: string[], format: WebhookFormat = 'standard', more = {}) {
    const values = { name: 'Shop', url: 'https://shop.test/hook', events, format, ...more }
    return (await shared.askFor('POST', '/api/webhooks/new', values)).webhook.id
  }
  const messages = () => db().selectFrom('webhook_messages').selectAll().orderBy('id').execute()

  afterEach(async () => {
    await db().deleteFrom('webhooks').execute()
    await db().deleteFrom('webhook_messages').execute()
    await publisher().reload()
  })

  test('an event is queued for each webhook that asks for its type, and for no other', async () => {
    assert.equal(publisher().wants('limit.reached'), false)
    const first = await addWebhook(['limit.reached'])
    await addWebhook(['brake.applied'])
    const third = await addWebhook(['brake.applied', 'limit.reached'])
    assert.equal(publisher().wants('limit.reached'), true)
    assert.equal(publisher().wants('queue.delayed'), false)
    const data = { limitId: 3, limit: 'Half \ud800 and \0' }
    await publisher().publish(db(), [
      { type: 'limit.reached', data },
      { type: 'queue.delayed', data: {} },
    ])
    const rows = await messages()
    const webhooks = rows.map((row) => row.webhook_id)
    assert.deepEqual(webhooks, [first, third])
    const [row] = rows
    assert.match(row?.message_id ?? '', /^msg_[0-9a-f]{32}$/)
    const body = JSON.parse(row?.body ?? '')
    assert.deepEqual(Object.keys(body), ['type', 'timestamp', 'data'])
    assert.deepEqual([body.type, body.data], ['limit.reached', data])
  })

  test('a webhook of a brand gets the events of its brand only, one without a brand gets all', async () => {
    const brands = [await addBrand(shared.service), await addBrand(shared.service)]
    const hooks = new Map<unknown, number>()
    for (const brand of [undefined, ...brands])
      hooks.set(await addWebhook(['limit.reached'], 'standard', { brand }), brand ?? 0)
    for (const brand of [0, ...brands])
      await publisher().publish(db(), [{ type: 'limit.reached', data: brandData(brand) }])
    const sent = (await messages()).map((row) => [
      hooks.get(row.webhook_id),
      JSON.parse(row.body).data.brand ?? 0,
    ])
    const [one, other] = brands
    assert.deepEqual(sent, [
      [0, 0],
      [0, one],
      [one, one],
      [0, other],
      [other, other],
    ])
  })

  test('an event is queued only if its transaction is committed', async () => {
    await addWebhook(['limit.reached'])
    const { storage } = shared.service.app
    const publishIn = (isKept: boolean) =>
      storage.transaction(
        async (tx) => {
          await publisher().publish(tx, [{ type: 'limit.reached', data: { isKept } }])
          return isKept
        },
        { keeps: (kept) => kept },
      )
    await publishIn(false)
    await publishIn(true)
    const sentData = (await messages()).map(({ body }) => JSON.parse(body).data)
    assert.deepEqual(sentData, [{ isKept: true }])
  })

  test('thousands of events of one transaction are all queued, in their order', async () => {
    await addWebhook(['delivery.accepted'])
    const events = Array.from({ length: 2_500 }, (_, deliveryId) => ({
      type: 'delivery.accepted' as const,
      data: { deliveryId },
    }))
    await publisher().publish(db(), events)
    const sentIds = (await messages()).map(({ body }) => JSON.parse(body).data.deliveryId)
    const eventIds = events.map(({ data }) => data.deliveryId)
    assert.deepEqual(sentIds, eventIds)
  })

  test('of the events of a transaction with one cause, chat gets the first and their number', async () => {
    await addWebhook(['transport.down'], 'chat')
    const event = (cause: string) => ({ type: 'transport.down' as const, data: { cause }, cause })
    await publisher().publish(db(), [event('1'), event('2'), event('1'), event('1')])
    assert.deepEqual(
      (await messages()).map((row) => [row.cause, Number(row.events)]),
      [
        ['1', 3],
        ['2', 1],
      ],
    )
  })

  test('another process publishes for a new webhook, too', async () => {
    if (!shared.service.app.storage.isShared) return
    const another = await shared.openAnother()
    await another.app.webhooks.publisher.active.start()
    assert.equal(another.app.webhooks.publisher.wants('mautic.unreachable'), false)
    await addWebhook(['mautic.unreachable'])
    const isKnown = () => another.app.webhooks.publisher.wants('mautic.unreachable')
    await until(isKnown, 'the other process knows the webhook')
  })
})
