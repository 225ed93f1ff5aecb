import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { until } from '../../test/until.ts'
import type { EventPublisher } from './event-publisher.ts'
import type { WebhookFormat, WebhookTables } from './table.ts'

onEachDatabase('published events', { isStarted: false }, (shared) => {
  const db = () => shared.service.app.storage.tables<WebhookTables>()
  const publisher = (): EventPublisher => shared.service.app.events

  async function addWebhook(events: string[], format: WebhookFormat = 'standard') {
    const { id } = await db()
      .insertInto('webhooks')
      .values({
        name: 'Shop',
        events: JSON.stringify(events),
        format,
        url: null,
        secret: null,
        old_secret: null,
        old_secret_until: null,
        is_published: true,
        date_added: 0,
        date_modified: null,
        created_by: null,
        created_by_id: null,
        modified_by: null,
        modified_by_id: null,
        revision: 1,
        search_text: 'shop',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  }
  const messages = () => db().selectFrom('webhook_messages').selectAll().orderBy('id').execute()

  afterEach(async () => {
    await db().deleteFrom('webhooks').execute()
    await db().deleteFrom('webhook_messages').execute()
    await publisher().reload()
  })

  test('an event is queued for each webhook that asks for its type, and for no other', async () => {
    const first = await addWebhook(['limit.reached'])
    await addWebhook(['brake.applied'])
    const third = await addWebhook(['brake.applied', 'limit.reached'])
    assert.equal(publisher().wants('limit.reached'), false)
    await publisher().reload()
    assert.equal(publisher().wants('limit.reached'), true)
    assert.equal(publisher().wants('queue.delayed'), false)
    const data = { limitId: 3, limit: 'Half \ud800 and \0' }
    await publisher().publish(db(), [
      { type: 'limit.reached', data },
      { type: 'queue.delayed', data: {} },
    ])
    const rows = await messages()
    assert.deepEqual(
      rows.map((row) => row.webhook_id),
      [first, third],
    )
    const [row] = rows
    assert.match(row?.message_id ?? '', /^msg_[0-9a-f]{32}$/)
    const body = JSON.parse(row?.body ?? '')
    assert.deepEqual(Object.keys(body), ['type', 'timestamp', 'data'])
    assert.deepEqual([body.type, body.data], ['limit.reached', data])
  })

  test('a new webhook is known once it is applied, also while another change is', async () => {
    await addWebhook(['limit.reached'])
    const first = publisher().reload()
    const second = publisher().reload()
    await first
    assert.equal(publisher().wants('limit.reached'), true)
    await second
  })

  test('an event is queued only if its transaction is committed', async () => {
    await addWebhook(['limit.reached'])
    await publisher().reload()
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
    assert.deepEqual(
      (await messages()).map(({ body }) => JSON.parse(body).data),
      [{ isKept: true }],
    )
  })

  test('thousands of events of one transaction are all queued, in their order', async () => {
    await addWebhook(['delivery.accepted'])
    await publisher().reload()
    const events = Array.from({ length: 2_500 }, (_, deliveryId) => ({
      type: 'delivery.accepted' as const,
      data: { deliveryId },
    }))
    await publisher().publish(db(), events)
    assert.deepEqual(
      (await messages()).map(({ body }) => JSON.parse(body).data.deliveryId),
      events.map(({ data }) => data.deliveryId),
    )
  })

  test('of the events of a transaction with one cause, chat gets the first and their number', async () => {
    await addWebhook(['transport.down'], 'chat')
    await publisher().reload()
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
    await another.app.events.active.start()
    assert.equal(another.app.events.wants('mautic.unreachable'), false)
    await addWebhook(['mautic.unreachable'])
    await publisher().reload()
    await until(
      () => another.app.events.wants('mautic.unreachable'),
      'the other process knows the webhook',
    )
  })
})
