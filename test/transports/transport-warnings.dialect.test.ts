import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFindWarnings, ReadStamps } from '../../src/core/transports/transport-warnings.ts'
import { addUser, uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'

// cspell:ignore Publishd
const path = '/api/multipleTransports'
const plainDsn = 'smtp://ann:S3cret@mail.example.com:587?unheard=1'

onEachDatabase('warnings about a saved transport', (shared) => {
  const { ask } = shared
  const add = async (name: string, mailerDsn = 'null://null') =>
    (await ask('POST', `${path}/new`, { name, mailerDsn })).body
  const listed = async (id: number) =>
    (await ask('GET', `${path}?search=ids:${id}`)).body.find(
      (each: { id: number }) => each.id === id,
    )

  test('is in each answer that shows it, as in the inspection of its DSN', async () => {
    const { body } = await ask('POST', `${path}/dsn/inspect`, { mailerDsn: plainDsn })
    assert.equal(body.warnings.length, 2)
    const made = await add(uniqueName('plain'), plainDsn)
    assert.deepEqual(made.warnings, body.warnings)
    assert.deepEqual((await ask('GET', `${path}/${made.id}`)).body.warnings, body.warnings)
    assert.deepEqual((await listed(made.id)).warnings, body.warnings)
    const assigned = await ask('POST', '/api/multipleTransport/transportUser/1', {
      transportId: made.id,
    })
    assert.deepEqual(assigned.body.transportUser.transport.warnings, body.warnings)
    const edited = await ask('PATCH', `${path}/${made.id}/edit`, { mailerDsn: 'null://null' })
    assert.equal('warnings' in edited.body, false)
    assert.equal('warnings' in (await ask('GET', `${path}/${made.id}`)).body, false)
  })

  test('is shown without a secret to users who may only view', async () => {
    const made = await add(uniqueName('plain'), plainDsn)
    const viewer = await addUser(shared.service, { multipleTransports: ['view'] })
    const { body, text } = await ask('GET', `${path}/${made.id}`, undefined, { as: viewer.as })
    assert.equal(body.warnings.length, 2)
    assert.ok(!text.includes('S3cret'))
  })

  test('names another transport of the same name, until one is renamed or deleted', async () => {
    const name = uniqueName('Twin')
    const first = await add(name)
    assert.equal('warnings' in first, false)
    const second = await add(` ${name.toUpperCase()} `)
    const warning = (id: number) => [
      `Transport ${id} has the same name. Rename one, or use ids where you name a transport.`,
    ]
    assert.deepEqual(second.warnings, warning(first.id))
    assert.deepEqual((await ask('GET', `${path}/${first.id}`)).body.warnings, warning(second.id))
    const all = (await ask('GET', `${path}?search=ids:${first.id},${second.id}`)).body
    const warningsOfAll = all.map(({ warnings }: { warnings: string[] }) => warnings)
    assert.deepEqual(warningsOfAll, [warning(second.id), warning(first.id)])
    await ask('PATCH', `${path}/${second.id}/edit`, { name: uniqueName('Single') })
    assert.equal('warnings' in (await ask('GET', `${path}/${first.id}`)).body, false)
    const batch = await ask('POST', `${path}/batch/new`, [
      { name: 'Pair', mailerDsn: 'null://null' },
      { name: 'pair', mailerDsn: 'null://null' },
    ])
    const [one, other] = batch.body.multipleTransports
    assert.deepEqual([one.warnings, other.warnings], [warning(other.id), warning(one.id)])
  })

  test('fits the name of the row that was read, also if it was renamed since', async () => {
    const { storage, transports } = shared.service.app
    const name = uniqueName('before')
    const [{ id }] = [await add(name), await add(name)]
    const before = await transports.getRow(id)
    await ask('PATCH', `${path}/${id}/edit`, { name: uniqueName('after') })
    const stamps = new ReadStamps(storage)
    const findWarnings = createFindWarnings(storage, { stamps, dsnOptions: {} })
    assert.equal((await findWarnings([before], [undefined]))[0]?.length, 1)
    assert.deepEqual(await findWarnings([await transports.getRow(id)], [undefined]), [[]])
  })

  test('ignored fields are listed beside it', async () => {
    const { body } = await ask('POST', `${path}/new`, {
      name: uniqueName('both'),
      mailerDsn: plainDsn,
      isPublishd: true,
    })
    assert.equal(body.warnings.length, 3)
    assert.match(
      body.warnings[2],
      /^Unknown field "isPublishd" was ignored. Did you mean "isPublished"/,
    )
  })

  test('what a deleted transport was assigned to is in the answer', async () => {
    const { id } = await add(uniqueName('used'))
    await addUser(shared.service, {})
    const { body: users } = await ask('GET', '/api/users?limit=2')
    for (const { id: userId } of users.users)
      await ask('POST', `/api/multipleTransport/transportUser/${userId}`, { transportId: id })
    await ask('POST', '/api/multipleTransport/transportEmail/1', { transportId: id })
    const { body } = await ask('DELETE', `${path}/${id}/delete`)
    assert.deepEqual(body, {
      success: true,
      message: `Transport ${id} was deleted. It was assigned to 1 email and 2 users.`,
    })
    const unused = await add(uniqueName('unused'))
    const { body: plain } = await ask('DELETE', `${path}/${unused.id}/delete`)
    assert.equal(plain.message, `Transport ${unused.id} was deleted.`)
  })

  test('so it is in the answer to a batch, by item', async () => {
    const unused = await add(uniqueName('unused'))
    const used = await add(uniqueName('used'))
    await ask('POST', '/api/multipleTransport/transportEmail/1', { transportId: used.id })
    const { body } = await ask('DELETE', `${path}/batch/delete?ids=${unused.id},${used.id}`)
    assert.deepEqual(body.statusCodes, [200, 200])
    assert.deepEqual(body.messages, { 1: 'It was assigned to 1 email.' })
  })
})
