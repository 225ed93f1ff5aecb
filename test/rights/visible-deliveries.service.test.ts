import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addUser, type TestUser } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

onMailyard('a delivery', { isOwn: true }, (shared) => {
  const { ask } = shared
  let id: number
  let contactId: number
  before(async () => {
    const transport = { name: 'internal relay', mailerDsn: 'smtp://127.0.0.1:9' }
    const { body } = await ask('POST', '/api/multipleTransports/new', transport)
    await ask('POST', '/api/multipleTransport/transportUser/1', { transportId: body.id })
    const assignment = { transportId: body.id, useOwnerTransport: true }
    await ask('POST', '/api/multipleTransport/transportEmail/1', assignment)
    const contact = { email: 'ann@example.com', owner: 1 }
    contactId = (await ask('POST', '/api/contacts/new', contact)).body.contact.id
    await ask('POST', `/api/emails/1/contact/${contactId}/send`, {})
    id = (await ask('GET', '/api/deliveries')).body.deliveries[0].id
  })
  const see = async (user: TestUser): Promise<TestBody> => {
    const one = await ask('GET', `/api/deliveries/${id}`, undefined, { as: user.as })
    const list = await ask('GET', '/api/deliveries', undefined, { as: user.as })
    assert.deepEqual(list.body.deliveries[0], one.body.delivery)
    return one.body.delivery
  }

  test('shows everything to users who may view all areas', async () => {
    const all = ['multipleTransports', 'contact', 'user', 'email']
    const user = await addUser(
      shared.service,
      Object.fromEntries(all.map((area) => [area, ['view']])),
    )
    const delivery = await see(user)
    assert.equal(delivery.transport, 'internal relay')
    assert.equal(delivery.recipient, 'ann@example.com')
    assert.match(JSON.stringify(delivery.trace), /admin/)
  })

  test('shows no host, user or contact to users who may only view emails', async () => {
    const delivery = await see(await addUser(shared.service, { email: ['view'] }))
    const { transport, transportId, member, contactId: contact, reason, outcome } = delivery
    assert.deepEqual(
      [transport, transportId, member, contact, reason],
      [null, null, null, null, null],
    )
    assert.equal(outcome, 'deferred')
    assert.doesNotMatch(JSON.stringify(delivery), /internal|127\.0\.0\.1|admin\)|ann@/)
    assert.match(delivery.trace[0].reason, /multipleTransports:view/)
  })

  test('shows each part to users who may view its area', async () => {
    const { service } = shared
    const transports = await see(
      await addUser(service, { email: ['view'], multipleTransports: ['view'] }),
    )
    assert.equal(transports.transport, 'internal relay')
    assert.doesNotMatch(JSON.stringify(transports), /\(admin\)|ann@/)
    const contacts = await see(await addUser(service, { email: ['view'], contact: ['view'] }))
    assert.equal(contacts.recipient, 'ann@example.com')
    assert.doesNotMatch(JSON.stringify(contacts), /internal|127\.0\.0\.1/)
  })

  test('refuses filters on parts that the user may not view', async () => {
    const { as } = await addUser(shared.service, { email: ['view'] })
    for (const filter of [
      'recipient=ann@example.com',
      `contactId=${contactId}`,
      'transportId=1',
      'transport=x',
      'member=x',
      'search=ann',
    ]) {
      const answer = await ask('GET', `/api/deliveries?${filter}`, undefined, { as })
      assert.equal(answer.status, 403, filter)
      assert.match(answer.body.error, /contact:view|multipleTransports:view/)
    }
    assert.equal((await ask('GET', '/api/deliveries?emailId=1', undefined, { as })).status, 200)
  })

  test('is previewed without the names of users', async () => {
    const areas = ['multipleTransports', 'contact', 'email']
    const { as } = await addUser(
      shared.service,
      Object.fromEntries(areas.map((area) => [area, ['view']])),
    )
    const path = `/api/multipleTransport/resolve?emailId=1&contactId=${contactId}`
    const answer = await ask('GET', path, undefined, { as })
    assert.equal(answer.body.transport.name, 'internal relay')
    assert.doesNotMatch(answer.text, /admin/)
    assert.match((await ask('GET', path)).text, /to admin, the owner/)
  })
})
