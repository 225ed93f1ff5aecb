import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { DeliveryRow } from '../table.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const hourMs = 3_600_000

onEachDatabase('one delivery', (shared) => {
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
  const get = async (id: number) => {
    const { status, body } = await shared.service.ask('GET', `/api/deliveries/${id}`)
    assert.equal(status, 200)
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
      assert.deepEqual((await get(id)).attempts, [first, second, last])
  })

  test('shows the other recipients of its attempt', async () => {
    const message = { message_id: '<many@brand.test>', started_at: noon + 5 * hourMs }
    const ids: number[] = []
    for (const name of ['eve', 'joe', 'zoe'])
      ids.push(await add({ ...message, recipient: `${name}@example.com` }))
    await add({ ...message, started_at: noon + 6 * hourMs, recipient: 'eve@example.com' })
    assert.deepEqual((await get(ids[1] ?? 0)).recipients, [ids[0], ids[2]])
  })

  test('shows no attempt or recipient of another Mautic with the same Message-ID', async () => {
    const message = { message_id: '<same@brand.test>', started_at: noon + 7 * hourMs }
    const id = await add({ ...message, mautic_id: 7 })
    const other = await add({ ...message, mautic_id: 7, recipient: 'ben@example.com' })
    await add({ ...message, mautic_id: 8 })
    await add({ ...message, mautic_id: 8, recipient: 'eve@example.com' })
    assert.deepEqual(await get(id), { attempts: [id], recipients: [other] })
  })

  test('stands alone without a Message-ID', async () => {
    await add({ started_at: noon + 9 * hourMs })
    const id = await add({ started_at: noon + 9 * hourMs })
    assert.deepEqual(await get(id), { attempts: [id], recipients: [] })
  })

  test('hides in all of them what the caller may not view', async () => {
    const message = { message_id: '<hidden@brand.test>', started_at: noon + 20 * hourMs }
    const hidden = {
      transport: 'Secret relay',
      transport_id: 9,
      reply: '550 no secret@example.com',
    }
    const id = await add({ ...message, ...hidden })
    await add({ ...message, ...hidden, recipient: 'secret@example.com' })
    await add({ ...message, ...hidden, started_at: noon + 21 * hourMs })
    const { as } = await addUser(shared.service, { email: ['view'] })
    const { body, text } = await shared.service.ask('GET', `/api/deliveries/${id}`, undefined, {
      as,
    })
    assert.deepEqual([body.attempts.length, body.recipients.length], [2, 1])
    assert.doesNotMatch(text, /secret|ann@/i)
  })
})
