import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTransport, addUser } from '../../../test/callers.ts'
import { addBrand, addMautic, callerOf, markReinstalled } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { wholeList } from '../../../test/whole-list.ts'
import { AssignmentList } from './lists.ts'
import { countUses, describeAssignments, readAssigned } from './uses.ts'

const none = { id: 1, transportId: null }

onEachDatabase('assignments of Mautics', (shared) => {
  const open = () => {
    const { app } = shared.service
    const { storage } = app
    return {
      ...app,
      db: storage.tables<object>(),
      emailList: new AssignmentList(storage, 'email'),
      userList: new AssignmentList(storage, 'user'),
    }
  }
  const transportOf = async (emailId: number, caller: ReturnType<typeof callerOf>) => {
    const { transportEmail } = await open().assignments.get('email', emailId, caller)
    return transportEmail.transport?.id ?? null
  }

  test('two Mautics and Mailyard itself each have their own email 1', async () => {
    const { assignments } = open()
    await addEmail(shared.service)
    const mautics = [await addMautic(shared.service, { emails: [1] })]
    mautics.push(await addMautic(shared.service, { emails: [1] }))
    const callers = [undefined, ...mautics].map(callerOf)
    const assigned: number[] = []
    for (const caller of callers) {
      const { id: transportId } = await addTransport(shared.service)
      await assignments.set('email', { id: 1, transportId, useOwnerTransport: true }, caller)
      assigned.push(transportId)
    }
    assert.deepEqual(await Promise.all(callers.map((caller) => transportOf(1, caller))), assigned)
    await assignments.set('email', { ...none, useOwnerTransport: false }, callers[1] as never)
    const after = await Promise.all(callers.map((caller) => transportOf(1, caller)))
    assert.deepEqual(after, [assigned[0], null, assigned[2]])
    await assignments.set('email', none, callers[0] as never)
  })

  test('users of a Mautic are assigned by the ids that they have there', async () => {
    const { assignments } = open()
    const mautic = await addMautic(shared.service, { users: { 7: 'ann@brand.test' } })
    const { id: transportId } = await addTransport(shared.service)
    const { transportUser } = await assignments.set(
      'user',
      { id: 7, transportId },
      callerOf(mautic),
    )
    assert.deepEqual(transportUser.user, { id: 7, username: 'user7', email: 'ann@brand.test' })
    assert.equal(transportUser.transport?.id, transportId)
    await assignments.set('user', { id: 7, transportId: null }, callerOf(mautic))
    const { transportUser: after } = await assignments.get('user', 7, callerOf(mautic))
    assert.equal(after.transport, null)
  })

  test('what a Mautic does not have is answered with its name', async () => {
    const { assignments } = open()
    const mautic = await addMautic(shared.service)
    const name = `of Mautic "${mautic.name}"`
    const ofEmail = assignments.get('email', 1, callerOf(mautic))
    await assert.rejects(ofEmail, { kind: 'not_found', message: `Email not found: 1 ${name}` })
    const ofUser = assignments.set('user', { id: 1, transportId: null }, callerOf(mautic))
    await assert.rejects(ofUser, { kind: 'not_found', message: `User not found: 1 ${name}` })
  })

  test('a transport of another brand is not found, and is assigned to no email of another brand', async () => {
    const { assignments } = open()
    const mautic = await addMautic(shared.service, { emails: [3] })
    const other = await addMautic(shared.service, { emails: [3] })
    const { id: transportId } = await addTransport(shared.service, { brand: other.brand })
    const assign = (caller: ReturnType<typeof callerOf>, id = 3) =>
      assignments.set('email', { id, transportId }, caller)
    await assert.rejects(assign(callerOf(mautic)), /Transport not found/)
    const { id } = await addEmail(shared.service, { brand: mautic.brand })
    const refusal = { code: 'transport_of_brand', message: /belongs to another brand/ }
    await assert.rejects(assign(callerOf(undefined), id), refusal)
    // The messages of an email without a brand are of the brand of their transport.
    for (const brand of [null, other.brand]) {
      const { id: usable } = await addEmail(shared.service, { brand })
      const { transportEmail } = await assign(callerOf(undefined), usable)
      assert.equal(transportEmail.transport?.id, transportId)
    }
    assert.equal((await assign(callerOf(other))).transportEmail.transport?.id, transportId)
  })

  test('lists have the emails and users of the Mautic, with their transports', async () => {
    const { assignments, emailList, userList } = open()
    const mautic = await addMautic(shared.service, {
      emails: [4, 5],
      users: { 2: 'bea@brand.test' },
    })
    await addMautic(shared.service, { emails: [4, 6] })
    const { id: transportId, name } = await addTransport(shared.service)
    await assignments.set('email', { id: 5, transportId }, callerOf(mautic))
    const emails = await readAll(emailList.list(wholeList, callerOf(mautic)))
    const transport = { id: transportId, name, isPublished: true }
    assert.deepEqual(
      emails.map(({ email, transport: assigned }) => [email?.id, assigned]),
      [
        [4, null],
        [5, transport],
      ],
    )
    const filter = { op: 'eq' as const, field: 'transportId', value: transportId }
    const found = emailList.list({ ...wholeList, filter }, callerOf(mautic))
    assert.equal(await found.count(), 1)
    const users = await readAll(userList.list(wholeList, callerOf(mautic)))
    const usernames = users.map(({ user }) => user?.username)
    assert.deepEqual(usernames, ['user2'])
  })

  test('batches assign what exists, and say what is missing', async () => {
    const { assignments } = open()
    const mautic = await addMautic(shared.service, { emails: [8] })
    const other = await addMautic(shared.service)
    const { id: transportId } = await addTransport(shared.service)
    const { id: foreign } = await addTransport(shared.service, { brand: other.brand })
    const entries = [
      { emailId: 8, transportId },
      { emailId: 9, transportId },
      { emailId: 8, transportId: foreign },
    ]
    const results = await assignments.assign(entries, { kind: 'email', caller: callerOf(mautic) })
    assert.deepEqual(
      results.map((result) => (result.ok ? result.value : result.error.message)),
      [8, `Email not found: 9 of Mautic "${mautic.name}"`, `Transport not found: ${foreign}`],
    )
    assert.equal(await transportOf(8, callerOf(mautic)), transportId)
  })

  test('a user of Mailyard reads and assigns what a Mautic has, with its id in the query', async () => {
    const { ask } = shared
    const mautic = await addMautic(shared.service, {
      emails: [31, 32],
      users: { 4: 'dan@brand.test' },
    })
    const other = await addMautic(shared.service, { emails: [31], users: { 4: 'eve@other.test' } })
    const { id: transportId } = await addTransport(shared.service, { brand: mautic.brand })
    const path = '/api/multipleTransport'
    const query = `?mautic=${mautic.id}`
    const body = { transportId }
    const one = await ask('POST', `${path}/transportEmail/31${query}`, body)
    assert.equal(one.body.transportEmail?.transport?.id, transportId, one.text)
    const many = await ask('POST', `${path}/transportEmail/batch${query}`, [
      { emailId: 32, ...body },
    ])
    assert.deepEqual(many.body.statusCodes, [200], many.text)
    const user = await ask('POST', `${path}/transportUser/4${query}`, body)
    assert.equal(user.body.transportUser?.user.email, 'dan@brand.test', user.text)
    const { body: list } = await ask('GET', `${path}/transportEmail${query}&search=ids:32`)
    assert.deepEqual(
      list.transportEmails.map(({ email, transport }: typeof one.body) => [email.id, transport.id]),
      [[32, transportId]],
    )
    assert.equal(list.warnings, undefined)
    assert.equal(await transportOf(31, callerOf(mautic)), transportId)
    assert.equal(await transportOf(31, callerOf(other)), null)
    const refusal = `Transport ${transportId} belongs to another brand (id ${mautic.brand}): only its messages are sent through it. Choose another transport, or change "brand" of this one.`
    const ofOther = await ask('POST', `${path}/transportEmail/31?mautic=${other.id}`, body)
    assert.deepEqual([ofOther.status, ofOther.body.error], [400, refusal])
    const manyOfOther = await ask('POST', `${path}/transportEmail/batch?mautic=${other.id}`, [
      { emailId: 31, ...body },
    ])
    assert.deepEqual(manyOfOther.body.statusCodes, [400])
    const userOfOther = await ask('POST', `${path}/transportUser/4?mautic=${other.id}`, body)
    assert.equal(userOfOther.status, 400, userOfOther.text)
    const cleared = await ask('DELETE', `${path}/transportEmail/31${query}`)
    assert.equal(cleared.body.transportEmail?.transport, null, cleared.text)
    for (const [wanted, status] of [
      ['999999', 404],
      ['shop', 400],
    ] as const) {
      const refused = await ask('GET', `${path}/transportEmail?mautic=${wanted}`)
      assert.equal(refused.status, status, refused.text)
    }
  })

  test('transports are listed as the messages of the brand of a Mautic may use them', async () => {
    const mautics = [await addMautic(shared.service), await addMautic(shared.service)]
    const { id: common } = await addTransport(shared.service)
    const own: number[] = []
    for (const { brand } of mautics) own.push((await addTransport(shared.service, { brand })).id)
    const all = [common, ...own]
    const seenBy = async (caller: ReturnType<typeof callerOf>) => {
      const transports = await readAll(open().transports.list(wholeList, caller))
      return transports.map(({ id }) => id).filter((id) => all.includes(id))
    }
    for (const [index, mautic] of mautics.entries())
      assert.deepEqual(await seenBy(callerOf(mautic)), [common, own[index]])
    assert.deepEqual(await seenBy(callerOf({ id: 1, name: 'without a brand' })), [common])
    assert.deepEqual(await seenBy(callerOf(undefined)), all)
  })

  test('are counted for a caller with brands where they see the user', async () => {
    const { assignments, db } = open()
    const { id: transportId } = await addTransport(shared.service)
    const brands = [await addBrand(shared.service), await addBrand(shared.service)]
    const { id } = await addUser(shared.service, {}, brands.slice(0, 1))
    await assignments.set('user', { id, transportId }, callerOf(undefined))
    const counts = brands.map((brand) =>
      countUses(db, [transportId], { mautic: undefined, brands: [brand] }),
    )
    const users = (await Promise.all(counts)).map(([uses]) => uses?.users)
    assert.deepEqual(users, [1, 0])
  })

  test('are deleted when an administrator accepts that the Mautic was reinstalled', async () => {
    const { assignments, mautics } = open()
    const mautic = await addMautic(shared.service, { emails: [1] })
    const { id: transportId } = await addTransport(shared.service)
    await assignments.set('email', { id: 1, transportId }, callerOf(mautic))
    await markReinstalled(shared.service, mautic.id)
    await mautics.acceptReinstalled(mautic.id)
    assert.equal(await transportOf(1, callerOf(mautic)), null)
  })

  test('stay when an administrator accepts a Mautic that was not reinstalled', async () => {
    const { assignments } = open()
    const mautic = await addMautic(shared.service, { emails: [1] })
    const { id: transportId } = await addTransport(shared.service)
    await assignments.set('email', { id: 1, transportId }, callerOf(mautic))
    const answer = await shared.ask('POST', `/api/mautics/${mautic.id}/accept`)
    assert.equal(answer.status, 409)
    assert.equal(await transportOf(1, callerOf(mautic)), transportId)
  })

  test('the answer to a deletion names the Mautics that used the transport', async () => {
    const { assignments, db } = open()
    const { id: transportId } = await addTransport(shared.service)
    const mautic = await addMautic(shared.service, {
      ...{ emails: [1, 2], users: { 1: 'cy@brand.test' }, transportId },
    })
    for (const id of [1, 2]) await assignments.set('email', { id, transportId }, callerOf(mautic))
    await assignments.set('user', { id: 1, transportId }, callerOf(mautic))
    const { id: ownEmailId } = await addEmail(shared.service)
    await assignments.set('email', { id: ownEmailId, transportId }, callerOf(undefined))
    const name = `of Mautic "${mautic.name}"`
    assert.deepEqual(describeAssignments(await readAssigned(transportId, db)), {
      planned: `1 email loses it. 2 emails and 1 user ${name} lose it.`,
      done: `It was assigned to 1 email. It was assigned to 2 emails and 1 user ${name}.`,
    })
    const all = await countUses(db, [transportId], callerOf(undefined))
    assert.deepEqual(all, [{ emails: 3, users: 1, mautics: 1 }])
    const own = await countUses(db, [transportId], callerOf(mautic))
    assert.deepEqual(own, [{ emails: 2, users: 1, mautics: 1 }])
    const path = `/api/multipleTransports/${transportId}/delete`
    const { body } = await shared.ask('DELETE', path)
    assert.equal(body.message.split('It was the default').length, 2, 'the default is named once')
    assert.equal(await transportOf(1, callerOf(mautic)), null)
  })
})

async function readAll<Item>(list: { pages(): AsyncIterable<readonly Item[]> }): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of list.pages()) items.push(...page)
  return items
}
