import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { openNameLookup } from './name-lookup.ts'

const mailerDsn = 'null://null'

function createFindIds(storage: Storage) {
  const find = openNameLookup(storage)
  return async (name: string) => (await find(name, null)).map(({ id }) => id)
}

onEachDatabase('transports by name', (shared) => {
  const add = async (...names: string[]): Promise<number[]> => {
    const items = names.map((name) => ({ name, mailerDsn }))
    const { body } = await shared.ask('POST', '/api/multipleTransports/batch/new', items)
    return body.multipleTransports.map(({ id }: { id: number }) => id)
  }

  test('are found in any letter case, with and without blanks around the name', async () => {
    const [id] = await add('  Österreich\t')
    const find = createFindIds(shared.service.app.storage)
    for (const name of ['Österreich', 'ÖSTERREICH', ' österreich ', 'o\u0308sterreich'])
      assert.deepEqual(await find(name), [id], name)
    for (const name of ['Österreic', 'Österreich %', '']) assert.deepEqual(await find(name), [])
  })

  test('are all found where several share it, also after a rename', async () => {
    const find = createFindIds(shared.service.app.storage)
    const [first, second, third] = await add('Brand', 'BRAND', 'Other')
    assert.deepEqual(await find('brand'), [first, second])
    await shared.ask('PATCH', `/api/multipleTransports/${third}/edit`, { name: 'brand ' })
    assert.deepEqual(await find('brand'), [first, second, third])
    await shared.ask('DELETE', `/api/multipleTransports/${first}/delete`)
    assert.deepEqual(await find('brand'), [second, third])
  })
})
