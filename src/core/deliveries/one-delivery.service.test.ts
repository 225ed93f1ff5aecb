import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import type { DeliveryRow, DeliveryTables } from '../delivery/table.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const hourMs = 3_600_000

onMailyard('one delivery', (shared) => {
  const add = async (values: Partial<DeliveryRow>) => {
    const recipient = values.recipient ?? 'ann@example.com'
    const own = {
      started_at: noon,
      recipient,
      recipient_key: recipient,
      outcome: 'refused',
    } as const
    const [id = 0] = await logDeliveries(shared.service, [{ ...own, ...values }])
    return id
  }
  const find = async (id: number) => {
    const body = await shared.askFor('GET', `/api/deliveries/${id}`)
    const idsOf = (items: { id: number }[]) => items.map((each) => each.id)
    return { attempts: idsOf(body.attempts), recipients: idsOf(body.recipients) }
  }

  test('shows the attempts of its message to its recipient, the oldest first', async () => {
    const message = { message_id: '<retried@brand.test>' }
    const last = await add({ ...message, started_at: noon + 2 * hourMs, outcome: 'accepted' })
    const first = await add(message)
    const second = await add({ ...message, started_at: noon + hourMs })
    await add({ message_id: '<other@brand.test>' })
    await add({ ...message, recipient: 'bob@example.com', started_at: noon + 3 * hourMs })
    for (const id of [first, second, last])
      assert.deepEqual((await find(id)).attempts, [first, second, last])
  })

  test('shows the other recipients of its attempt', async () => {
    const message = { message_id: '<many@brand.test>', started_at: noon + 5 * hourMs }
    const ids: number[] = []
    for (const name of ['eve', 'joe', 'zoe'])
      ids.push(await add({ ...message, recipient: `${name}@example.com` }))
    await add({ ...message, started_at: noon + 6 * hourMs, recipient: 'eve@example.com' })
    assert.deepEqual((await find(ids[1] ?? 0)).recipients, [ids[0], ids[2]])
  })

  test('shows no attempt or recipient of another Mautic with the same Message-ID', async () => {
    const message = { message_id: '<same@brand.test>', started_at: noon + 7 * hourMs }
    const id = await add({ ...message, mautic_id: 7 })
    const other = await add({ ...message, mautic_id: 7, recipient: 'ben@example.com' })
    await add({ ...message, mautic_id: 8 })
    await add({ ...message, mautic_id: 8, recipient: 'eve@example.com' })
    assert.deepEqual(await find(id), { attempts: [id], recipients: [other] })
  })

  test('stands alone without a Message-ID', async () => {
    await add({ started_at: noon + 9 * hourMs })
    const id = await add({ started_at: noon + 9 * hourMs })
    assert.deepEqual(await find(id), { attempts: [id], recipients: [] })
  })

  test('hides in all of them what the caller may not view', async () => {
    const message = { message_id: '<hidden@brand.test>', started_at: noon + 20 * hourMs }
    const reply = '550 no secret@example.com'
    const hidden = { transport: 'Secret relay', transport_id: 9, reply }
    const id = await add({ ...message, ...hidden })
    await add({ ...message, ...hidden, recipient: 'secret@example.com' })
    await add({ ...message, ...hidden, started_at: noon + 21 * hourMs })
    const { as } = await addUser(shared.service, { email: ['view'] })
    const path = `/api/deliveries/${id}`
    const { body, text } = await shared.ask('GET', path, undefined, { as })
    assert.deepEqual([body.attempts.length, body.recipients.length], [2, 1])
    assert.doesNotMatch(text, /secret|ann@/i)
  })

  const addUncertain = (values: Partial<DeliveryRow> = {}) =>
    add({
      sender: 'news@brand.test',
      transport_id: 7,
      transport: 'Brand',
      member: 'smtp://mail.example.com:587',
      outcome: 'uncertain',
      message_id: '<m1@brand.test>',
      ...values,
    })
  const get = async (id: number) => (await shared.ask('GET', `/api/deliveries/${id}`)).body.delivery
  const giveKey = async (delivery_id: number) => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const key = { key: 'settled key', kind: 'message' as const, delivery_id, started_at: noon }
    await db.insertInto('delivery_keys').values(key).execute()
  }
  const settle = (body: object) => shared.ask('POST', '/api/deliveries/batch/settle', body)

  test('many uncertain ones are settled in one request, each by itself', async () => {
    const [first, second] = [await addUncertain(), await addUncertain()]
    const known = await addUncertain({ outcome: 'accepted' })
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
    const known = await addUncertain({ outcome: 'accepted' })
    const { status, body } = await settle({ ids: [known], outcome: 'accepted' })
    assert.equal(status, 400)
    assert.deepEqual(body.statusCodes, [409])
    const outcome = 'accepted'
    for (const faulty of [{ ids: [], outcome }, { ids: [1] }, { ids: ['1'], outcome }])
      assert.equal((await settle(faulty)).status, 400)
  })

  test('says, if it is uncertain, what to look for: Message-ID, recipient, server and time', async () => {
    const { lookFor } = await get(await addUncertain())
    for (const fact of ['<m1@brand.test>', 'ann@example.com', 'mail.example.com:587', '12:00:00'])
      assert.ok(lookFor.includes(fact), fact)
    const { lookFor: less } = await get(await addUncertain({ message_id: null, member: null }))
    for (const fact of ['news@brand.test', '"Brand"']) assert.ok(less.includes(fact), fact)
    assert.equal((await get(await addUncertain({ outcome: 'refused' }))).lookFor, null)
  })

  test('what to look for names nothing that the caller may not view', async () => {
    const id = await addUncertain()
    const { as } = await addUser(shared.service, { email: ['view', 'edit'] })
    const { body } = await shared.ask('GET', `/api/deliveries/${id}`, undefined, { as })
    assert.match(body.delivery.lookFor, /<m1@brand\.test>/)
    assert.doesNotMatch(body.delivery.lookFor, /ann@|mail\.example/)
    const path = '/api/deliveries/batch/settle'
    const decision = { ids: [id], outcome: 'accepted' }
    assert.equal((await shared.ask('POST', path, decision, { as })).status, 403)
  })
})
