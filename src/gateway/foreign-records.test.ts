import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { basicHeader } from '../../test/administrator.ts'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { listenAsGateway, type OpenGateway } from '../../test/gateway/open-gateway.ts'
import { addMautic, callerOf, closeMautics, type TestMautic } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import type { TestBody } from '../../test/test-app.ts'

/** An administrator of one Mautic, at its address, who knows the ids of another Mautic. */
onEachDatabase('an administrator of one Mautic', (shared) => {
  after(closeMautics)
  let gateway: OpenGateway
  let victim: TestMautic
  let evil: TestMautic
  /** The transport of the victim, which is assigned to its email 17. */
  let transport: TestBody
  const mailerDsn = 'smtp://user:top-secret@127.0.0.1:1'

  before(async () => {
    const { service } = shared
    gateway = await listenAsGateway(service)
    victim = await addMautic(service, { emails: [17, 99], users: { 5: 'olga@brand.test' } })
    evil = await addMautic(service, { emails: [17], users: { 5: 'olga@brand.test' } })
    const name = uniqueName('secret transport')
    transport = await addTransport(service, { name, mailerDsn, mautic: victim.id })
    const { assignments } = service.app
    await assignments.assignToEmail(17, { transportId: transport.id }, callerOf(victim))
    await assignments.assignToUser(5, transport.id, callerOf(victim))
  })

  const ask = async (method: string, path: string, body?: unknown) => {
    const { username, password } = evil.double.administrator
    const { status, text } = await gateway.ask({
      method,
      path: `/mautic/${evil.name}/api/${path}`,
      headers: { authorization: basicHeader(username, password) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const secret of ['top-secret', transport.name])
      assert.equal(text.includes(secret), false, `${method} ${path}: ${text}`)
    return { status, body: JSON.parse(text) }
  }
  const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status

  test('neither sees, changes, deletes nor uses a transport of another Mautic', async () => {
    const { id } = transport
    const masked = 'smtp://user:********@127.0.0.1:2'
    const asked: Parameters<typeof ask>[] = [
      ['GET', `multipleTransports/${id}`],
      ['PATCH', `multipleTransports/${id}/edit`, { isPublished: false }],
      ['DELETE', `multipleTransports/${id}/delete`],
      ['POST', `multipleTransports/send/test/${id}`, { to: 'eve@evil.test' }],
      ['POST', 'multipleTransports/send/test', { mailerDsn: masked, to: 'eve@evil.test', id }],
      ['POST', 'multipleTransports/dsn/inspect', { mailerDsn: masked, id }],
      ['POST', 'twigTemplates/send/test', { template: 'x', to: 'eve@evil.test', transportId: id }],
      ['POST', 'multipleTransport/transportEmail/17', { transportId: id }],
      ['POST', 'multipleTransport/transportUser/5', { transportId: id }],
      ['POST', 'multipleTransport/drill', { down: [id] }],
    ]
    for (const each of asked) assert.equal(await statusOf(...each), 404, each.join(' '))
    const edits = [{ id, isPublished: false }]
    const edited = await ask('PATCH', 'multipleTransports/batch/edit', edits)
    assert.deepEqual(edited.body.statusCodes, [404])
    await ask('DELETE', `multipleTransports/batch/delete?ids=${id}`)
    const assigned = await ask('POST', 'multipleTransport/transportEmail/batch', [
      { emailId: 17, transportId: id },
    ])
    assert.deepEqual(assigned.body.statusCodes, [404])
    // As for any missing id, a new record is made under a new id.
    const replaced = await ask('PUT', `multipleTransports/${id}/edit`, {
      ...{ name: 'New', mailerDsn: 'null://null' },
    })
    assert.notEqual(replaced.body.id, id)
    const { body: kept } = await shared.service.ask('GET', `/api/multipleTransports/${id}`)
    assert.deepEqual(
      [kept.name, kept.mailerDsn, kept.isPublished, kept.mautic],
      [transport.name, mailerDsn, true, victim.id],
    )
  })

  test('finds it in no list, and in no route', async () => {
    for (const query of [
      '',
      `?search=ids:${transport.id}`,
      `?where[0][col]=mautic&where[0][expr]=eq&where[0][val]=${victim.id}`,
    ]) {
      const { body } = await ask('GET', `multipleTransports${query}`)
      assert.equal(
        body.some(({ id }: TestBody) => id === transport.id),
        false,
      )
    }
    // Routes say who owns a contact, which callers of a Mautic may not view.
    for (const query of [`transport=${transport.id}`, `mautic=${victim.id}`])
      assert.equal(await statusOf('GET', `multipleTransport/resolve?${query}`), 403)
  })

  test('holds a fire drill with the emails of its own Mautic only', async () => {
    const own = { name: 'Own', mailerDsn: 'null://null' }
    const { id } = (await ask('POST', 'multipleTransports/new', own)).body
    await ask('POST', 'multipleTransport/transportEmail/17', { transportId: id })
    const { status, body } = await ask('POST', 'multipleTransport/drill', { down: [id] })
    assert.deepEqual([status, body.emails.total, body.emails.items[0].email.id], [200, 1, 17])
    const foreign = { down: [id], mautic: victim.id }
    assert.equal(await statusOf('POST', 'multipleTransport/drill', foreign), 404)
  })

  test('reaches the emails and users of its own Mautic only, by the same ids', async () => {
    const { body } = await ask('GET', 'multipleTransport/transportEmail/17')
    assert.notEqual(body.transportEmail.transport?.id, transport.id)
    assert.equal(await statusOf('GET', 'multipleTransport/transportEmail/99'), 404)
    await ask('DELETE', 'multipleTransport/transportEmail/17')
    await ask('DELETE', 'multipleTransport/transportUser/5')
    const { assignments } = shared.service.app
    const { transportEmail } = await assignments.getForEmail(17, callerOf(victim))
    const { transportUser } = await assignments.getForUser(5, callerOf(victim))
    assert.deepEqual(
      [transportEmail.transport?.id, transportUser.transport?.id],
      [transport.id, transport.id],
    )
  })
})
