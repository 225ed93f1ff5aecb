import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTransport, addUser, uniqueName } from '../../../../test/callers.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import type { TestCaller } from '../../../../test/test-app.ts'

const path = '/api/multipleTransport'

interface Target {
  kind: string
  transport: { id: number } | null
}

interface Listed {
  email: { id: number }
  from: { id: number } | null
  to: Target
  deliveries: number
}

onMailyard('a fire drill', { isOwn: true }, (shared) => {
  const ask = (method: 'GET' | 'POST' | 'PATCH', url: string, body?: object, as?: TestCaller) =>
    shared.ask(method, url, body, as === undefined ? {} : { as })
  const drill = (down: number[]) => shared.askFor('POST', `${path}/drill`, { down })
  const addInbox = async () =>
    (await addTransport(shared.service, { mailerDsn: 'inbox://local' })).id
  const assign = (emailId: number, values: object) =>
    ask('POST', `${path}/transportEmail/${emailId}`, values)
  const assignUser = (userId: number, transportId: number) =>
    ask('POST', `${path}/transportUser/${userId}`, { transportId })
  const addContact = async (owner?: number): Promise<number> => {
    const email = `${uniqueName('contact')}@example.com`
    return (await shared.askFor('POST', '/api/contacts/new', { email, owner })).contact.id
  }
  const addText = async (headers: Record<string, string> = {}): Promise<number> =>
    (await addEmail(shared.service, { plainText: 'Hello', headers })).id
  const send = async (emailId: number, contactId: number) => {
    const { status, text } = await ask('POST', `/api/emails/${emailId}/contact/${contactId}/send`)
    assert.equal(status, 200, text)
  }
  const resolve = async (query: string) => (await ask('GET', `${path}/resolve?${query}`)).body

  test('says where each email, and the last day of deliveries, would be sent', async () => {
    const [first, second] = [await addInbox(), await addInbox()]
    const plain = await addText()
    const owned = await addText()
    const naming = await addText({ 'X-Mailyard-Transport': String(first) })
    const other = await addText()
    const user = await addUser(shared.service, {})
    await assign(plain, { transportId: first })
    await assign(owned, { transportId: second, useOwnerTransport: true })
    await assign(naming, { transportId: second })
    await assign(other, { transportId: second })
    await assignUser(user.id, first)
    const [contact, ownersContact] = [await addContact(), await addContact(user.id)]
    await send(plain, contact)
    await send(plain, ownersContact)
    await send(owned, ownersContact)
    await send(owned, contact)
    await send(naming, contact)
    await send(other, contact)
    const report = await drill([first])
    const found = (report.emails.items as Listed[]).map(({ email, from, to, deliveries }) => [
      email.id,
      from?.id ?? null,
      to.transport?.id ?? to.kind,
      deliveries,
    ])
    assert.deepEqual(found, [
      [plain, first, 'none', 2],
      [owned, null, second, 1],
      [naming, first, 'none', 1],
    ])
    assert.equal(report.emails.total, 3)
    assert.deepEqual(
      report.users.items.map(({ user: { id }, to }: { user: { id: number }; to: Target }) => [
        id,
        to.kind,
      ]),
      [[user.id, 'none']],
    )
    assert.deepEqual(
      report.targets.map(
        ({ to, emails, users, deliveries }: Record<string, number> & { to: Target }) => [
          to.transport?.id ?? to.kind,
          emails,
          users,
          deliveries,
        ],
      ),
      [
        ['none', 2, 1, 3],
        [second, 1, 0, 1],
      ],
    )
    // What the drill says is what happens.
    const asked = `emailId=${owned}&contactId=${ownersContact}`
    await ask('PATCH', `/api/multipleTransports/${first}/edit`, { isPublished: false })
    assert.equal((await resolve(asked)).transport.id, second)
    assert.equal((await resolve(`emailId=${plain}`)).transport, null)
    assert.match((await resolve(`emailId=${naming}`)).problem, /not published/)
    const again = await drill([first])
    assert.deepEqual([again.targets, again.emails.total, again.users.total], [[], 0, 0])
  })

  test('leaves out deliveries that are older than a day', async () => {
    const transportId = await addInbox()
    const id = await addText()
    await assign(id, { transportId })
    await send(id, await addContact())
    const count = async () => (await drill([transportId])).targets[0].deliveries
    assert.equal(await count(), 1)
    shared.clock.advance(86_400_001)
    assert.equal(await count(), 0)
  })

  test('shows the parts that the caller may view', async () => {
    const transportId = await addInbox()
    const { id } = await addEmail(shared.service)
    await assign(id, { transportId })
    const viewer = await addUser(shared.service, { multipleTransports: ['view'], email: ['view'] })
    const { status, body } = await ask('POST', `${path}/drill`, { down: [transportId] }, viewer.as)
    assert.deepEqual([status, body.emails.total, body.users], [200, 1, null])
    const blind = await addUser(shared.service, { multipleTransports: ['view'] })
    const { body: less } = await ask('POST', `${path}/drill`, { down: [transportId] }, blind.as)
    assert.deepEqual([less.emails, less.users], [null, null])
  })

  test('refuses transports that do not exist, and a drill without any', async () => {
    const missing = await ask('POST', `${path}/drill`, { down: [999_999] })
    assert.deepEqual([missing.status, missing.body.error], [404, 'Transport not found'])
    assert.equal((await ask('POST', `${path}/drill`, { down: [] })).status, 400)
  })
})

onMailyard(
  'a fire drill with a default transport',
  { config: { mailerDsn: 'inbox://local' } },
  (shared) => {
    test('sends to the default what has no other transport', async () => {
      const { id: transportId } = await addTransport(shared.service)
      const { id } = await addEmail(shared.service)
      const body = { transportId }
      await shared.ask('POST', `${path}/transportEmail/${id}`, body)
      const answer = await shared.ask('POST', `${path}/drill`, { down: [transportId] })
      assert.deepEqual(answer.body.emails.items[0].to, { kind: 'default', transport: null })
    })
  },
)
