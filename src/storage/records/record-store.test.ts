import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestDatabase, testDatabases } from '../../../test/databases.ts'
import { type Migrations, migrate } from '../migrate.ts'
import { openStorage, type Storage } from '../storage.ts'
import { openRecordStore, type RecordStore } from './record-store.ts'
import { createRecordTable, type RecordRow } from './record-table.ts'

interface BoxRow extends RecordRow {
  name: string
  key: string | null
}

const author = { caller: { name: 'Ann', userId: 7 }, clock: { now: () => 1_000 } }
const editor = { caller: { name: 'Bob', userId: undefined }, clock: { now: () => 2_000 } }
const box = (name: string, key: string | null = null) => ({
  name,
  key,
  is_published: true,
  search_text: name,
})

for (const { name, create } of testDatabases) {
  describe(`a record store, on ${name}`, () => {
    let database: TestDatabase
    let storage: Storage
    let store: RecordStore<BoxRow>

    before(async () => {
      database = await create()
      storage = openStorage({ url: database.url, onIdleError: () => undefined })
      const boxes: Migrations = {
        async '01_boxes'(db, database) {
          await createRecordTable(db, database, 'boxes')
            .addColumn('name', 'text', (column) => column.notNull())
            .addColumn('key', 'text', (column) => column.unique())
            .execute()
        },
      }
      await migrate(storage, [boxes])
      const fields = { name: { column: 'name', type: 'text' } } as const
      const table = { table: 'boxes', nameColumn: 'name', fields }
      store = openRecordStore<BoxRow>(storage, { ...table, identityColumn: 'key' })
    })
    after(async () => {
      await storage.close()
      await database.drop()
    })

    const insert = (...rows: ReturnType<typeof box>[]) =>
      storage.transaction((tx) => store.insert(tx, rows, author))

    test('inserts rows in order, stamped with their author', async () => {
      const rows = await insert(box('a'), box('b'))
      const ids = rows.map((row) => Number(row?.id))
      assert.equal(ids[1], (ids[0] ?? 0) + 1)
      const found = await store.find(ids[0] ?? 0)
      assert.deepEqual(
        [found?.name, Number(found?.date_added), found?.created_by, Number(found?.created_by_id)],
        ['a', 1_000, 'Ann', 7],
      )
      assert.deepEqual([found?.date_modified, Number(found?.revision)], [null, 1])
      assert.deepEqual(await insert(), [])
    })

    test('returns undefined for a row whose identity exists, and inserts the others', async () => {
      await insert(box('first', 'taken'))
      const rows = await insert(box('c', 'free'), box('d', 'taken'), box('e'), box('f'))
      assert.deepEqual(
        rows.map((row) => row?.name),
        ['c', undefined, 'e', 'f'],
      )
      const same = await store.findSame(['taken', 'free', 'unknown'])
      assert.deepEqual(
        same.map((row) => row.name),
        ['first', 'c'],
      )
      const id = await storage.transaction((tx) => store.findIdOf(tx, 'free'))
      assert.equal(id, rows[0]?.id)
    })

    test('locks, updates and removes rows in the transaction of the caller', async () => {
      const [one, two] = await insert(box('one'), box('two'))
      assert.ok(one !== undefined && two !== undefined)
      await storage.transaction(async (tx) => {
        const rows = await store.lock(tx, [two.id, one.id, one.id, 999_999])
        assert.deepEqual([...rows.keys()].map(Number), [one.id, two.id].map(Number))
        const changed = await store.update(tx, { current: one, columns: box('new') }, editor)
        assert.deepEqual([changed.name, changed.revision, changed.created_by], ['new', 2, 'Ann'])
        await store.remove(tx, two.id)
      })
      const [found, ...others] = await store.findMany([two.id, one.id])
      assert.deepEqual([others.length, found?.name, found?.modified_by], [0, 'new', 'Bob'])
      assert.deepEqual([Number(found?.date_modified), Number(found?.revision)], [2_000, 2])
      assert.equal(await store.find(two.id), undefined)
    })

    test('reads the sizes of texts in bytes, with nothing for missing rows and null', async () => {
      const [one, two] = await insert(box('ä', 'size'), box('xyz'))
      const ids = [one?.id ?? 0, two?.id ?? 0, 999_999]
      const sizes = await store.readSizes(ids, ['name', 'key'])
      assert.deepEqual(
        ids.map((id) => sizes.get(id)),
        [6, 3, undefined],
      )
    })
  })
}
