import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { useScriptedServer } from '../../../../test/scripted-server.ts'
import { createSendFixture, quickIntervals } from '../../../../test/send-fixture.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import { until } from '../../../../test/until.ts'

const hourMs = 3_600_000
/** The worker looks by itself after this time. */
const intervals = { ...quickIntervals, idleMs: hourMs }
const forNow = { code: 451, text: '4.7.1 Come back later' }

onEachDatabase('an email to one contact that is not sent at once', { intervals }, (shared) => {
  const fixture = createSendFixture(() => shared.service)
  const server = useScriptedServer()
  beforeEach(() => {
    server.act = () => undefined
    server.gate = undefined
  })
  const { ask } = shared
  const newSend = async () => {
    const transportId = await fixture.transport(server.dsn)
    const plainText = 'Dear {contactfield=firstname}'
    const emailId = await fixture.email(transportId, { plainText })
    const contact = await fixture.contact({ firstname: '{twigtemplate=1}' })
    const path = `/api/emails/${emailId}/contact/${contact.id}/send`
    const send = (headers = {}, body = {}, service = shared.service) =>
      service.ask('POST', path, body, { headers })
    return { transportId, emailId, contact, send }
  }
  const outcomes = async (emailId: number) =>
    (await fixture.deliveries(`emailId=${emailId}`)).map((each) => each.outcome).reverse()
  const queued = async (emailId: number): Promise<TestBody[]> =>
    (await ask('GET', `/api/queue/messages?emailId=${emailId}`)).body.messages
  const timesTaken = (address: string) => server.taken.filter((each) => each === address).length

  test('is stored when the server refuses it for now, and delivered later as it was rendered', async () => {
    server.act = () => forNow
    const { emailId, contact, send } = await newSend()
    const { status, body } = await send()
    assert.deepEqual([status, body.success], [200, true])
    assert.equal(body.queued.reason, '451 4.7.1 Come back later')
    const [item] = await queued(emailId)
    assert.equal(item?.id, body.queued.id)
    assert.deepEqual(
      [item.state, item.lane, item.contactId, item.attempts],
      ['deferred', 'transactional', contact.id, 1],
    )
    server.act = () => undefined
    shared.clock.advance(hourMs)
    await shared.service.app.idle()
    assert.deepEqual(await queued(emailId), [])
    assert.deepEqual(await outcomes(emailId), ['deferred', 'accepted'])
    assert.equal(timesTaken(contact.email), 1)
    for (const delivery of await fixture.deliveries(`emailId=${emailId}`)) {
      const { source, contactId, warnings = [] } = delivery
      assert.deepEqual([source, contactId, warnings], ['api', contact.id, []])
    }
  })

  test('is answered as stored once the wait limit is over, and delivered once', async () => {
    const gate = Promise.withResolvers<void>()
    server.gate = gate.promise
    const { emailId, contact, send } = await newSend()
    const hasty = await shared.openAnother({ config: { smtpWaitSeconds: 0 } })
    const { body } = await send({}, {}, hasty)
    assert.deepEqual([body.success, body.queued.reason], [true, null])
    assert.equal((await queued(emailId))[0]?.state, 'sending')
    gate.resolve()
    await hasty.app.idle()
    assert.deepEqual(await queued(emailId), [])
    assert.deepEqual(await outcomes(emailId), ['accepted'])
    assert.equal(timesTaken(contact.email), 1)
  })

  test('is the same one for the same Idempotency-Key, and no other request may use the key', async () => {
    server.act = () => forNow
    const { emailId, contact, send } = await newSend()
    const headers = { 'idempotency-key': `key of ${emailId}` }
    const first = (await send(headers)).body
    assert.equal(first.success, true)
    assert.deepEqual((await send(headers)).body, first)
    assert.equal((await send(headers, { tokens: { '{code}': '1' } })).status, 409)
    assert.equal((await queued(emailId)).length, 1)
    server.act = () => undefined
    await ask('POST', `/api/queue/messages/${first.queued.id}/retry`)
    await shared.service.app.idle()
    assert.deepEqual(await queued(emailId), [])
    assert.deepEqual((await send(headers)).body, { success: true })
    assert.equal(timesTaken(contact.email), 1)
  })

  test('is sent at once when another process makes it due', async (t) => {
    if (!shared.service.app.storage.isShared)
      return t.skip('a command on SQLite wakes no other process: it looks each second')
    const command = await shared.openAnother({ isStarted: false })
    const { contact, send } = await newSend()
    server.act = () => forNow
    const { queued } = (await send()).body
    server.act = () => undefined
    await command.askFor('POST', `/api/queue/messages/${queued.id}/retry`)
    await until(() => timesTaken(contact.email) === 1, 'the message is sent')
  })

  test('is answered as not sent if the queue is full', async () => {
    server.act = () => forNow
    const full = await shared.openAnother({ config: { queueMegabytesMax: 0 } })
    const { emailId, send } = await newSend()
    const { body } = await send({}, {}, full)
    assert.equal(body.success, false)
    assert.match(body.failed, /Come back later/)
    assert.deepEqual(await queued(emailId), [])
  })
})
