import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')

onEachDatabase('uncertain deliveries', (shared) => {
  const add = async (values: Partial<DeliveryRow> = {}) => {
    const row = {
      started_at: noon,
      sender: 'news@brand.test',
      recipient: 'ann@example.com',
      recipient_key: 'ann@example.com',
      transport_id: 7,
      transport: 'Brand',
      member: 'smtp://mail.example.com:587',
      outcome: 'uncertain' as const,
      message_id: '<m1@brand.test>',
      ...values,
    }
    const [id = 0] = await logDeliveries(shared.service, [row])
    return id
  }
  const giveKey = async (delivery_id: number) => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const key = { key: 'settled key', kind: 'message' as const, delivery_id, started_at: noon }
    await db.insertInto('delivery_keys').values(key).execute()
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
    for (const fact of ['<m1@brand.test>', 'ann@example.com', 'mail.example.com:587', '12:00:00'])
      assert.ok(lookFor.includes(fact), fact)
    const { lookFor: less } = await get(await add({ message_id: null, member: null }))
    for (const fact of ['news@brand.test', '"Brand"']) assert.ok(less.includes(fact), fact)
    assert.equal((await get(await add({ outcome: 'refused' }))).lookFor, null)
  })

  test('what to look for names nothing that the caller may not view', async () => {
    const id = await add()
    const { as } = await addUser(shared.service, { email: ['view', 'edit'] })
    const { body } = await shared.service.ask('GET', `/api/deliveries/${id}`, undefined, { as })
    assert.match(body.delivery.lookFor, /<m1@brand\.test>/)
    assert.doesNotMatch(body.delivery.lookFor, /ann@|mail\.example/)
    const path = '/api/deliveries/batch/settle'
    const decision = { ids: [id], outcome: 'accepted' }
    assert.equal((await shared.service.ask('POST', path, decision, { as })).status, 403)
  })
})
