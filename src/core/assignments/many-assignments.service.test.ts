import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTransport, addUser, uniqueName } from '../../../test/callers.ts'
import { onMailyard } from '../../../test/on-each-database.ts'

const emailPath = '/api/multipleTransport/transportEmail'
const userPath = '/api/multipleTransport/transportUser'

onMailyard('many assignments', (shared) => {
  const { ask, askFor } = shared
  const list = (url: string) => askFor('GET', url)

  test('list emails with their transport, filtered and paged', async () => {
    const word = uniqueName('listed')
    const add = async (name: string) => (await addEmail(shared.service, { name })).id
    const ids = [await add(`${word} a`), await add(`${word} b`), await add(`${word} c`)]
    const { id: transportId, name } = await addTransport(shared.service)
    await ask('POST', `${emailPath}/batch`, [
      { emailId: ids[0], transportId },
      { emailId: ids[1], transportId: null, useOwnerTransport: true },
    ])
    const whole = await list(`${emailPath}?search=${word}`)
    assert.equal(whole.total, 3)
    assert.deepEqual(whole.transportEmails[0], {
      email: { id: ids[0], name: `${word} a`, isPublished: true },
      transport: { id: transportId, name, isPublished: true },
      useOwnerTransport: false,
    })
    const idsOf = async (query: string) =>
      (await list(`${emailPath}?search=${word}&${query}`)).transportEmails.map(
        ({ email }: { email: { id: number } }) => email.id,
      )
    assert.deepEqual(await idsOf(`transport=${transportId}`), [ids[0]])
    assert.deepEqual(await idsOf('transport=default'), [ids[1], ids[2]])
    assert.deepEqual(await idsOf('useOwnerTransport=1'), [ids[1]])
    assert.deepEqual(await idsOf('orderBy=name&orderByDir=DESC&start=1&limit=1'), [ids[1]])
    const { status, body } = await ask('GET', `${emailPath}?transport=none`)
    assert.deepEqual([status, Object.keys(body.details)], [400, ['transport']])
  })

  test('list users with their transport', async () => {
    const user = await addUser(shared.service, {})
    const { id: transportId } = await addTransport(shared.service, { isPublished: false })
    const batch = [{ userId: user.id, transportId }]
    assert.equal((await ask('POST', `${userPath}/batch`, batch)).status, 200)
    const { total, transportUsers } = await list(`${userPath}?search=${user.username}`)
    assert.equal(total, 1)
    assert.equal(transportUsers[0].user.username, user.username)
    assert.equal(transportUsers[0].transport.isPublished, false)
    const { transportUsers: others } = await list(`${userPath}?transport=default&limit=0`)
    assert.ok(!JSON.stringify(others).includes(user.username))
  })

  test('are assigned in one request, and a failing item stops no other', async () => {
    const { id: emailId } = await addEmail(shared.service)
    const { id: transportId } = await addTransport(shared.service)
    const { status, body } = await ask('POST', `${emailPath}/batch`, [
      { emailId, transportId, useOwnerTransport: true },
      { emailId: 999_999, transportId },
      { emailId, transportId: 999_999 },
      { emailId, transportId: 'one' },
    ])
    assert.deepEqual([status, body.statusCodes], [200, [200, 404, 404, 400]])
    assert.equal(body.transportEmails[0].transport.id, transportId)
    assert.equal(body.transportEmails[1], null)
    assert.deepEqual(
      [body.errors[1].message, body.errors[2].message],
      ['Email not found: 999999', 'Transport not found: 999999'],
    )
    assert.deepEqual(Object.keys(body.errors[3].details), ['transportId'])
    const one = await list(`${emailPath}/${emailId}`)
    assert.deepEqual(
      [one.transportEmail.transport.id, one.transportEmail.useOwnerTransport],
      [transportId, true],
    )
    await ask('POST', `${emailPath}/batch`, [{ emailId, transportId: null }])
    const none = await list(`${emailPath}/${emailId}`)
    assert.deepEqual(
      [none.transportEmail.transport, none.transportEmail.useOwnerTransport],
      [null, false],
    )
  })

  test('are refused as a whole where no item succeeds, and above 10,000 items', async () => {
    const failing = [{ userId: 999_999, transportId: null }]
    const { status, body } = await ask('POST', `${userPath}/batch`, failing)
    assert.deepEqual([status, body.success, body.statusCodes], [400, false, [404]])
    const many = Array.from({ length: 10_001 }, () => ({ userId: 1, transportId: null }))
    assert.equal((await ask('POST', `${userPath}/batch`, many)).status, 413)
  })

  test('of more items than a transaction holds are all written', async () => {
    const { id: transportId } = await addTransport(shared.service)
    const { id: emailId } = await addEmail(shared.service)
    const items = Array.from({ length: 450 }, (_, index) =>
      index === 449 ? { emailId, transportId: null } : { emailId, transportId },
    )
    const { body } = await ask('POST', `${emailPath}/batch`, items)
    assert.ok(body.statusCodes.every((code: number) => code === 200))
    assert.equal((await list(`${emailPath}/${emailId}`)).transportEmail.transport, null)
  })
})
