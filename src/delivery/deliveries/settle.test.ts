import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { emptyDelivery } from '../log/delivery-row.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')

onEachDatabase('uncertain deliveries', (shared) => {
  const add = async (values: Partial<DeliveryRow> = {}) => {
    const started = { source: 'smtp', caller: 'Admin', startedAt: noon, processId: 'gone' } as const
    const row: Omit<DeliveryRow, 'id'> = {
      ...emptyDelivery(started),
      sender: 'news@brand.test',
      recipient: 'ann@example.com',
      recipient_key: 'ann@example.com',
      transport_id: 7,
      transport: 'Brand',
      member: 'smtp://mail.example.com:587',
      outcome: 'uncertain',
      message_id: '<m1@brand.test>',
      ...values,
    }
    const db = shared.service.app.storage.tables<DeliveryTables>()
    return (await db.insertInto('deliveries').values(row).returning('id').executeTakeFirstOrThrow())
      .id
  }
  const giveKey = async (id: number) => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const { started_at } = await db
      .selectFrom('deliveries')
      .select('started_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const row = { key: 'settled key', kind: 'message' as const, delivery_id: id, started_at }
    await db.insertInto('delivery_keys').values(row).execute()
  }
  const get = async (id: number) =>
    (await shared.service.ask('GET', `/api/deliveries/${id}`)).body.delivery
  const settle = (body: object) => shared.service.ask('POST', '/api/deliveries/batch/settle', body)

  test('many are settled in one request, each by itself', async () => {
    const [first, second, known] = [await add(), await add(), await add({ outcome: 'accepted' })]
    await giveKey(first)
    const ids = [first, known, 999_999, second]
    const { status, body } = await settle({ ids, outcome: 'deferred' })
    assert.equal(status, 200)
    assert.deepEqual(body.statusCodes, [200, 409, 404, 200])
    assert.deepEqual(Object.keys(body.errors), ['1', '2'])
    assert.match(body.errors[1].message, /Only an uncertain delivery can be settled/)
    assert.deepEqual([body.deliveries[1], body.deliveries[2]], [null, null])
    assert.equal(body.deliveries[0].outcome, 'deferred')
    assert.equal((await get(first)).outcome, 'deferred')
    assert.equal((await get(second)).outcome, 'deferred')
    // The released key may be used by the same message again.
    await giveKey(second)
  })

  test('a batch of which none can be settled is answered 400, and so is one without ids', async () => {
    const known = await add({ outcome: 'accepted' })
    const { status, body } = await settle({ ids: [known], outcome: 'accepted' })
    assert.equal(status, 400)
    assert.deepEqual(body.statusCodes, [409])
    for (const faulty of [
      { ids: [], outcome: 'accepted' },
      { ids: [1] },
      { ids: ['1'], outcome: 'accepted' },
    ])
      assert.equal((await settle(faulty)).status, 400)
  })

  test('each says what to look for: Message-ID, recipient, server and time', async () => {
    const { lookFor } = await get(await add())
    assert.match(
      lookFor,
      /^Look for <m1@brand\.test> to ann@example\.com in the log of smtp:\/\/mail\.example\.com:587 /,
    )
    assert.match(lookFor, / from 2026-03-01T12:00:00\+00:00 on\./)
    const { lookFor: less } = await get(await add({ message_id: null, member: null }))
    assert.match(less, /a message from news@brand\.test to .* the server of the transport "Brand" /)
    assert.equal((await get(await add({ outcome: 'refused' }))).lookFor, null)
  })

  test('what to look for names nothing that the caller may not view', async () => {
    const id = await add()
    const { as } = await addUser(shared.service, { email: ['view', 'edit'] })
    const { body } = await shared.service.ask('GET', `/api/deliveries/${id}`, undefined, { as })
    assert.match(body.delivery.lookFor, /<m1@brand\.test> in the log of the server /)
    const path = '/api/deliveries/batch/settle'
    const decision = { ids: [id], outcome: 'accepted' }
    assert.equal((await shared.service.ask('POST', path, decision, { as })).status, 403)
  })
})
