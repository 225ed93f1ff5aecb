import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTransport, addUser, uniqueName } from '../../../test/callers.ts'
import { onMailyard } from '../../../test/on-each-database.ts'

const path = '/api/multipleTransports'

interface Listed {
  id: number
  usage?: { emails: number; users: number; mautics: number }
  lastTest?: {
    date: string
    testedBy: string
    success: boolean
    message: string
    stage: string | null
  } | null
}

onMailyard('the list of transports', { isOwn: true }, (shared) => {
  const { ask, askFor } = shared
  const list = (query: string): Promise<Listed[]> => askFor('GET', `${path}?${query}`)
  const testMessage = (id: number) =>
    ask('POST', `${path}/send/test/${id}`, { to: 'a@example.com' })
  const find = async (id: number) =>
    (await list(`with=usage,lastTest&search=ids:${id}`))[0] ?? assert.fail('not listed')

  test('has what each transport is assigned to and its last test, where it is asked for', async () => {
    const { id } = await addTransport(shared.service, { mailerDsn: 'inbox://local' })
    const { id: emailId } = await addEmail(shared.service)
    const users = [await addUser(shared.service, {}), await addUser(shared.service, {})]
    await ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, { transportId: id })
    for (const user of users)
      await ask('POST', `/api/multipleTransport/transportUser/${user.id}`, { transportId: id })
    assert.equal((await find(id)).lastTest, null)
    const { body: answer } = await testMessage(id)
    const { usage, lastTest } = await find(id)
    assert.deepEqual(usage, { emails: 1, users: 2, mautics: 0 })
    assert.deepEqual(
      [lastTest?.success, lastTest?.message, lastTest?.testedBy],
      [true, answer.message, 'Admin'],
    )
    assert.match(lastTest?.date ?? '', /^\d{4}-\d\d-\d\dT/)
    const [plain] = await list(`search=ids:${id}`)
    assert.equal('usage' in (plain ?? {}) || 'lastTest' in (plain ?? {}), false)
    assert.equal('durationMs' in answer, false)
  })

  test('refuses members that it does not have', async () => {
    const { status, body } = await ask('GET', `${path}?with=usage,secrets`)
    assert.deepEqual([status, body.details], [400, { with: ['must be a list of usage, lastTest'] }])
  })

  test('forgets a test when the DSN changes, and keeps it for other edits', async () => {
    const { id, name } = await addTransport(shared.service, { mailerDsn: 'smtp://localhost:1' })
    await testMessage(id)
    assert.equal((await find(id)).lastTest?.success, false)
    await ask('PATCH', `${path}/${id}/edit`, { name: `${name} 2`, mailerDsn: 'smtp://localhost:1' })
    assert.equal((await find(id)).lastTest?.success, false)
    await ask('PATCH', `${path}/${id}/edit`, { mailerDsn: 'smtp://localhost:2' })
    assert.equal((await find(id)).lastTest, null)
  })

  test('remembers a test of unsaved values where they are the stored ones', async () => {
    const { id } = await addTransport(shared.service, { mailerDsn: 'inbox://local' })
    const unsaved = { id, to: 'a@example.com' }
    await ask('POST', `${path}/send/test`, { ...unsaved, mailerDsn: 'null://null' })
    assert.equal((await find(id)).lastTest, null)
    await ask('POST', `${path}/send/test`, { ...unsaved, mailerDsn: 'inbox://local' })
    assert.equal((await find(id)).lastTest?.success, true)
  })

  test('finds transports by their state and by their last test, and orders by it', async () => {
    const word = uniqueName('state')
    const add = async (mailerDsn: string, isPublished: boolean) =>
      (await addTransport(shared.service, { name: word, mailerDsn, isPublished })).id
    const passed = await add('inbox://local', true)
    const failed = await add('smtp://localhost:1', false)
    const untested = await add('null://null', true)
    await testMessage(passed)
    shared.clock.advance(5_000)
    await testMessage(failed)
    const ids = async (query: string) =>
      (await list(`search=${word}&${query}`)).map((each) => each.id)
    assert.deepEqual(await ids('state=unpublished'), [failed])
    assert.deepEqual(await ids('state=published'), [passed, untested])
    assert.deepEqual(await ids('lastTest=failed'), [failed])
    assert.deepEqual(await ids('lastTest=passed'), [passed])
    assert.deepEqual(await ids('lastTest=none&state=published'), [untested])
    assert.deepEqual(await ids('orderBy=lastTestDate&orderByDir=DESC'), [failed, passed, untested])
    const { status, body } = await ask('GET', `${path}?state=failing`)
    assert.deepEqual([status, body.details.state], [400, ['must be one of published, unpublished']])
  })
})
