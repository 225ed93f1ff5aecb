import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser, uniqueName } from '../../../test/callers.ts'
import { useMailCatcher } from '../../../test/mail-catcher.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { createSendFixture } from '../../../test/send-fixture.ts'
import type { TestBody } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'

// It closes its limiter.
onMailyard('a message whose transport has a limit', { isOwn: true }, (shared) => {
  const catcher = useMailCatcher()
  const fixture = createSendFixture(() => shared.service)

  const post = async (path: string, body: unknown): Promise<TestBody> => {
    const answer = await shared.ask('POST', path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  /** An email through a transport with this limit. */
  const limited = async (limit: Record<string, unknown>) => {
    const transportId = await fixture.transport(catcher.dsn)
    const emailId = await fixture.email(transportId)
    const values = { name: uniqueName('limit'), transports: [transportId], ...limit }
    const created = await post('/api/limits/new', values)
    return { transportId, emailId, limit: created.limit }
  }
  const send = async (emailId: number) => {
    const [contact] = await fixture.contacts(1)
    return fixture.send(emailId, contact?.id ?? 0)
  }

  test('after the last token of a day, a message is queued, and its reason names the limit', async () => {
    const { emailId, limit } = await limited({ perDay: 2 })
    const before = catcher.mails.length
    assert.deepEqual(await send(emailId), { success: true })
    assert.deepEqual(await send(emailId), { success: true })
    const { success, queued } = await send(emailId)
    assert.equal(success, true)
    assert.equal(queued.reason, `451 4.3.2 Limit "${limit.name}" is reached.`)
    assert.equal(catcher.mails.length - before, 2)
    const { body } = await shared.ask('GET', `/api/limits/${limit.id}`)
    const [day] = body.limit.usage.windows
    assert.deepEqual([day.used, day.left], [2, 0])
    assert.match(day.freeAt, /T00:00:00\+00:00$/)
  })

  test('what waits for a limit until tomorrow is sent as soon as the limit is raised', async () => {
    const { emailId, limit } = await limited({ perDay: 1 })
    await send(emailId)
    const { queued } = await send(emailId)
    assert.match(queued.reason, /is reached/)
    const before = catcher.mails.length
    await shared.ask('PATCH', `/api/limits/${limit.id}/edit`, { perDay: 2 })
    await until(() => catcher.mails.length === before + 1, 'the message is sent')
  })

  test('with the overflow "next", the next step of the route is taken, and the trace says why', async () => {
    const { transportId, emailId, limit } = await limited({ perDay: 1, overflow: 'next' })
    const ownerId = await fixture.transport(catcher.dsn)
    await post('/api/multipleTransport/transportUser/1', { transportId })
    await post(`/api/multipleTransport/transportEmail/${emailId}`, {
      transportId: ownerId,
      useOwnerTransport: true,
    })
    const [contact] = await fixture.contacts(1, () => ({ owner: 1 }))
    for (const expected of [transportId, ownerId]) {
      assert.deepEqual(await fixture.send(emailId, contact?.id ?? 0), { success: true })
      const [delivery] = await fixture.deliveries(`emailId=${emailId}`)
      assert.ok(delivery)
      assert.equal(delivery.transportId, expected)
      if (expected === ownerId)
        assert.match(delivery.trace[0].reason, new RegExp(`limit "${limit.name}" is reached`))
    }
  })

  test('with the overflow "next", a message without a brand gets that of its first transport, and none of another', async () => {
    const { transportId, emailId } = await limited({ perDay: 1, overflow: 'next' })
    const ownerId = await fixture.transport(catcher.dsn)
    const users = await addUser(shared.service, {})
    await post(`/api/multipleTransport/transportUser/${users.id}`, { transportId: ownerId })
    await post(`/api/multipleTransport/transportEmail/${emailId}`, {
      transportId,
      useOwnerTransport: true,
    })
    await post('/api/limits/new', {
      name: uniqueName('limit'),
      transports: [ownerId],
      perDay: 1,
      overflow: 'next',
    })
    const [own, other] = [await addBrand(shared.service), await addBrand(shared.service)]
    const move = (id: number, brand: number | null) =>
      shared.askFor('PATCH', `/api/multipleTransports/${id}/edit`, { brand })
    const sendAs = async () => {
      const [contact] = await fixture.contacts(1, () => ({ owner: users.id }))
      return fixture.send(emailId, contact?.id ?? 0)
    }
    await move(ownerId, own)
    assert.deepEqual(await sendAs(), { success: true })
    for (const [first, next] of [
      [own, other],
      [null, other],
    ] as const) {
      await move(ownerId, first)
      await move(transportId, next)
      const { success, queued } = await sendAs()
      assert.equal(success, true, JSON.stringify(queued))
      assert.match(queued?.reason ?? '', /is reached/)
    }
    await move(ownerId, own)
    await move(transportId, null)
    assert.deepEqual(await sendAs(), { success: true })
    const deliveries = await fixture.deliveries(`emailId=${emailId}`)
    assert.deepEqual(
      deliveries.map((each) => [each.transportId, each.brand]),
      [
        [transportId, own],
        [ownerId, own],
      ],
    )
  })

  test('a message that is not sent uses no token', async () => {
    const { emailId, limit } = await limited({ perDay: 5 })
    const [contact] = await fixture.contacts(1, () => ({
      email: `refuse-550-${uniqueName('to')}@test.test`,
    }))
    assert.equal((await fixture.send(emailId, contact?.id ?? 0)).success, false)
    assert.deepEqual(await send(emailId), { success: true })
    await shared.service.app.limiter.close()
    const { body } = await shared.ask('GET', `/api/limits/${limit.id}`)
    assert.equal(body.limit.usage.windows[0].used, 1)
  })
})
