import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../../test/databases.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { migrate, openStorage, type Storage } from '../storage/index.ts'
import { transportMigrations } from './migrations.ts'
import { openNameLookup } from './name-lookup.ts'

const mailerDsn = 'null://null'

function createFindIds(storage: Storage) {
  const find = openNameLookup(storage)
  return async (name: string) => (await find(name)).map(({ id }) => id)
}

onEachDatabase('transports by name', (shared) => {
  const add = async (...names: string[]): Promise<number[]> => {
    const items = names.map((name) => ({ name, mailerDsn }))
    const { body } = await shared.yard.ask('POST', '/api/multipleTransports/batch/new', items)
    return body.multipleTransports.map(({ id }: { id: number }) => id)
  }

  test('are found whatever the letter case and the blanks around the name', async () => {
    const [id] = await add('  Österreich\t')
    const find = createFindIds(shared.yard.app.storage)
    for (const name of ['Österreich', 'ÖSTERREICH', ' österreich ', 'o\u0308sterreich'])
      assert.deepEqual(await find(name), [id], name)
    for (const name of ['Österreic', 'Österreich %', '']) assert.deepEqual(await find(name), [])
  })

  test('are all found where several have it, also after one was renamed', async () => {
    const find = createFindIds(shared.yard.app.storage)
    const [first, second, third] = await add('Brand', 'BRAND', 'Other')
    assert.deepEqual(await find('brand'), [first, second])
    await shared.yard.ask('PATCH', `/api/multipleTransports/${third}/edit`, { name: 'brand ' })
    assert.deepEqual(await find('brand'), [first, second, third])
    await shared.yard.ask('DELETE', `/api/multipleTransports/${first}/delete`)
    assert.deepEqual(await find('brand'), [second, third])
  })
})

for (const { name, create } of testDatabases)
  describe(`an older database, on ${name}`, () => {
    test('has its transports found by name once it is migrated', async () => {
      const database = await create()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      try {
        const [first] = Object.entries(transportMigrations)
        await migrate(storage, [Object.fromEntries(first === undefined ? [] : [first])])
        const stamps = { is_published: true, date_added: 0, revision: 1, search_text: '' }
        const names = ['  Plain ', 'ÄRGER', 'plain']
        const rows = names.map((each) => ({ ...stamps, name: each, mailer_dsn: 'sealed' }))
        const old = storage.tables<{ transports: (typeof rows)[number] }>()
        await old.insertInto('transports').values(rows).execute()
        await migrate(storage, [transportMigrations])
        const find = createFindIds(storage)
        assert.deepEqual(await find('PLAIN'), [1, 3])
        assert.deepEqual(await find('ärger'), [2])
      } finally {
        await storage.close()
        await database.drop()
      }
    })
  })
