import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport, addUser, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

const path = '/api/multipleTransports'

onMailyard('a DSN that cannot be read', { isOwn: true }, (shared) => {
  const { ask, askFor } = shared
  const add = (values: Record<string, unknown> = {}) => addTransport(shared.service, values)
  const unreadable = 'unreadable://********'
  const dsn = 'smtp://u:p@mail.example.com'
  const db = () =>
    shared.service.app.storage.tables<{ transports: { id: number; mailer_dsn: string } }>()
  const sealedDsn = async (id: number): Promise<string> => {
    const query = db().selectFrom('transports').select('mailer_dsn').where('id', '=', id)
    return (await query.executeTakeFirstOrThrow()).mailer_dsn
  }
  const addDamaged = async (damage = (sealed: string) => sealed.replace(/.{6}$/, 'AAAAA=')) => {
    const { id } = await add({ name: uniqueName('damaged'), mailerDsn: dsn })
    const mailer_dsn = damage(await sealedDsn(id))
    await db().updateTable('transports').set({ mailer_dsn }).where('id', '=', id).execute()
    return id
  }

  test('is shown as unreadable in lists, to every user, and logged once', async () => {
    const viewer = await addUser(shared.service, { multipleTransports: ['view'] })
    for (const id of [
      await addDamaged(),
      await addDamaged(() => ''),
      await addDamaged((sealed) => sealed.slice(0, 12)),
      // As if its data key were lost.
      await addDamaged((sealed) => `00000000${sealed.slice(8)}`),
    ]) {
      const next = await add({ mailerDsn: dsn })
      for (const as of [undefined, viewer.as]) {
        const options = as === undefined ? {} : { as }
        const one = await ask('GET', `${path}/${id}`, undefined, options)
        assert.deepEqual([one.status, one.body.mailerDsn], [200, unreadable])
        assert.deepEqual(Object.keys(one.body).sort(), Object.keys(next).sort())
        const list = await askFor('GET', path, undefined, options)
        const shown = new Map(list.map((each: TestBody) => [each.id, each.mailerDsn]))
        assert.equal(shown.get(id), unreadable)
        assert.equal(
          shown.get(next.id),
          as === undefined ? dsn : 'smtp://u:********@mail.example.com',
        )
      }
      const said = shared.service.logged.filter(
        (line) => line.includes('cannot be read') && line.includes(`"transportId":${id},`),
      )
      assert.equal(said.length, 1, said.join(''))
    }
  })

  test('is kept until another DSN is saved, alone or in a batch', async () => {
    const id = await addDamaged()
    const sealed = await sealedDsn(id)
    const url = `${path}/${id}/edit`
    const off = await ask('PATCH', url, { isPublished: false })
    assert.deepEqual(
      [off.status, off.body.isPublished, off.body.mailerDsn],
      [200, false, unreadable],
    )
    const back = await ask('PUT', url, { ...off.body, name: 'as it was shown' })
    assert.deepEqual([back.status, back.body.name], [200, 'as it was shown'])
    const other = await add()
    const many = await ask('PATCH', `${path}/batch/edit`, [
      { id, description: 'x' },
      { id: other.id, description: 'x' },
    ])
    assert.deepEqual([many.status, many.body.statusCodes], [200, [200, 200]])
    assert.equal(await sealedDsn(id), sealed)
    for (const mailerDsn of ['smtp://u:********@mail.example.com', 'unreadable://x'])
      assert.equal((await ask('PATCH', url, { mailerDsn })).status, 400, mailerDsn)
    const mended = await ask('PATCH', url, { mailerDsn: dsn })
    assert.deepEqual([mended.status, mended.body.mailerDsn], [200, dsn])
    assert.equal((await ask('GET', `${path}/${id}`)).body.mailerDsn, dsn)
  })

  test('is replaced by PUT and in a batch, and deleted by both', async () => {
    const [first, second] = [await addDamaged(), await addDamaged()]
    const values = { name: 'mended', mailerDsn: dsn }
    assert.equal((await ask('PUT', `${path}/${first}/edit`, values)).body.mailerDsn, dsn)
    const many = await ask('PUT', `${path}/batch/edit`, [{ id: second, ...values }])
    assert.equal(many.body.multipleTransports[0].mailerDsn, dsn)
    const [third, fourth] = [await addDamaged(), await addDamaged()]
    assert.equal((await ask('DELETE', `${path}/${third}/delete`)).status, 200)
    const removed = await ask('DELETE', `${path}/batch/delete?ids=${fourth}`)
    assert.deepEqual(removed.body.statusCodes, [200])
  })

  test('is the stage that a test message names', async () => {
    const id = await addDamaged()
    const { status, body } = await ask('POST', `${path}/send/test/${id}`)
    assert.deepEqual([status, body.success, body.stages.length], [200, false, 1])
    assert.match(body.message, /cannot be decrypted.* Save the DSN again/)
    const filling = await ask('POST', `${path}/send/test`, {
      mailerDsn: 'smtp://u:********@h',
      id,
    })
    assert.deepEqual([filling.status, Object.keys(filling.body.details)], [400, ['mailerDsn']])
  })
})
