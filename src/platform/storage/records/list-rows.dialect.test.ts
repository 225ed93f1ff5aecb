import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../../../../test/databases.ts'
import { useStorage } from '../../../../test/use-storage.ts'
import { wholeList } from '../../../../test/whole-list.ts'
import { normalizeForSearch } from '../../../kit/normalize-for-search.ts'
import { type Migrations, migrate } from '../migrate.ts'
import type { Storage } from '../storage.ts'
import type { Filter, ListQuery, Order } from './list-query.ts'
import { type ListTable, listRows } from './list-rows.ts'
import { createRecordTable, type RecordRow, type RecordTable } from './record-table.ts'

interface BoxRow extends RecordRow {
  name: string
  description: string | null
}
interface Tables {
  boxes: RecordTable<BoxRow>
}

const table: ListTable = {
  table: 'boxes',
  nameColumn: 'name',
  fields: {
    id: { column: 'id', type: 'number' },
    name: { column: 'name', type: 'text' },
    description: { column: 'description', type: 'text' },
    isPublished: { column: 'is_published', type: 'boolean' },
    dateModified: { column: 'date_modified', type: 'date' },
  },
}

const names = ['Beta', 'alpha', '100% Ümläut', 'gamma_ray', 'gammaXray']

for (const { name, create } of testDatabases) {
  describe(`lists on ${name}`, () => {
    let storage: Storage

    useStorage(create, async (opened) => {
      storage = opened.storage
      const boxes: Migrations = {
        async '01_boxes'(db, database) {
          await createRecordTable(db, database, 'boxes')
            .addColumn('name', 'text', (c) => c.notNull())
            .addColumn('description', 'text')
            .execute()
        },
      }
      await migrate(storage, [boxes])
      const rows = Array.from({ length: 1_000 }, (_, index) => ({
        name: names[index] ?? `box ${index % 7}`,
        description: index % 3 === 0 ? null : `d${index % 5}`,
        revision: 1,
        is_published: index % 2 === 0,
        date_added: 1,
        date_modified: index % 4 === 0 ? null : 1_000_000 + (index % 10),
        created_by: 'A',
        created_by_id: index % 5,
        modified_by: null,
        modified_by_id: null,
        search_text: normalizeForSearch(names[index] ?? `box ${index % 7}`),
      }))
      await storage.tables<Tables>().insertInto('boxes').values(rows).execute()
    })

    const read = async (change: Partial<ListQuery>, userId?: number) => {
      const query = { ...wholeList, ...change }
      const list = listRows<BoxRow>(storage, table, { query, caller: { userId } })
      const rows: BoxRow[] = []
      for await (const page of list.pages()) rows.push(...page)
      return { rows, ids: rows.map(({ id }) => Number(id)), count: await list.count() }
    }
    const found = async (filter: Filter) => (await read({ filter })).ids

    test('without a limit a list is complete and in id order', async () => {
      const { ids, count } = await read({})
      assert.deepEqual(
        ids,
        Array.from({ length: 1_000 }, (_, index) => index + 1),
      )
      assert.equal(count, 1_000)
    })

    test('start and limit select a part, also across pages, and the count is of all rows', async () => {
      assert.deepEqual((await read({ start: 2, limit: 3 })).ids, [3, 4, 5])
      const { ids, count } = await read({ start: 100, limit: 600 })
      assert.deepEqual([ids.length, ids[0], ids.at(-1), count], [600, 101, 700, 1_000])
      assert.deepEqual((await read({ start: 1_000 })).ids, [])
      assert.deepEqual((await read({ limit: 0 })).ids, [])
    })

    test('every order returns each row once, with nulls and ties, in both directions', async () => {
      const orders: Order[][] = Object.keys(table.fields).flatMap((field) => [
        [{ field, direction: 'asc' }],
        [{ field, direction: 'desc' }],
        [
          { field, direction: 'desc' },
          { field: 'description', direction: 'asc' },
        ],
      ])
      for (const order of orders) {
        const { ids, rows } = await read({ order })
        assert.equal(new Set(ids).size, 1_000, JSON.stringify(order))
        const values = rows.map((row) =>
          row.date_modified === null ? 0 : Number(row.date_modified),
        )
        if (order.length === 1 && order[0]?.field === 'dateModified') {
          const sorted = values.toSorted((a, b) => (order[0]?.direction === 'asc' ? a - b : b - a))
          assert.deepEqual(values, sorted)
        }
      }
    })

    test('names are ordered as people do, with numbers by their values', async () => {
      const first = await read({ order: [{ field: 'name', direction: 'asc' }], limit: 3 })
      const shownNames = first.rows.map((row) => row.name)
      assert.deepEqual(shownNames, ['100% Ümläut', 'alpha', 'Beta'])
      const brands = ['2', '2.9', '2.10', '10', '010a', '99999999999']
      const { db, filter, remove } = await addBoxes('brand', brands.length, '')
      for (const [index, number] of brands.entries())
        await db
          .updateTable('boxes')
          .set({ name: `brand ${number}` })
          .where('name', '=', `brand 000${index}`)
          .execute()
      const { rows } = await read({ filter, order: [{ field: 'name', direction: 'asc' }] })
      assert.deepEqual(
        rows.map((row) => row.name),
        brands.map((number) => `brand ${number}`),
      )
      await remove().execute()
    })

    const addBoxes = async (group: string, count: number, description: string) => {
      const db = storage.tables<Tables>()
      const stamp = { revision: 1, date_added: 1, date_modified: null, created_by: 'A' }
      const who = { created_by_id: 9, modified_by: null, modified_by_id: null, is_published: true }
      const rows = Array.from({ length: count }, (_, index) => ({
        ...{ ...stamp, ...who, description, search_text: '' },
        name: `${group} ${String(index).padStart(4, '0')}`,
      }))
      for (let start = 0; start < count; start += 500)
        await db
          .insertInto('boxes')
          .values(rows.slice(start, start + 500))
          .execute()
      const filter: Filter = { op: 'like', field: 'name', value: `${group} %` }
      return {
        db,
        filter,
        remove: () => db.deleteFrom('boxes').where('name', 'like', `${group} %`),
      }
    }

    test('rows that are deleted while the list is read are left out; no page is empty, and the limit is reached', async () => {
      const { db, filter, remove } = await addBoxes('going', 2_000, 'd')
      const order: Order[] = [{ field: 'name', direction: 'asc' }]
      const query = { ...wholeList, filter, order, limit: 1_200 }
      const seen: string[] = []
      for await (const page of listRows<BoxRow>(storage, table, {
        query,
        caller: { userId: undefined },
      }).pages()) {
        assert.ok(page.length > 0)
        seen.push(...page.map((row) => row.name))
        if (seen.length >= 625 && seen.length < 1_000)
          await db
            .deleteFrom('boxes')
            .where('name', '>=', 'going 0900')
            .where('name', '<', 'going 1500')
            .execute()
      }
      assert.equal(seen.length, 1_200)
      assert.deepEqual(seen, seen.toSorted())
      assert.equal(new Set(seen).size, 1_200)
      await remove().execute()
    })

    test('pages of long rows are short, in every order', async () => {
      const { filter, remove } = await addBoxes('long', 400, 'x'.repeat(100_000))
      for (const order of [[], [{ field: 'name', direction: 'desc' as const }]]) {
        const query = { ...wholeList, filter, order }
        const sizes: number[] = []
        const list = listRows<BoxRow>(storage, table, { query, caller: { userId: undefined } })
        for await (const page of list.pages()) sizes.push(page.length)
        assert.equal(
          sizes.reduce((sum, size) => sum + size),
          400,
        )
        assert.ok(Math.max(...sizes.slice(1)) <= 20, sizes.join(' '))
      }
      await remove().execute()
    })

    test('text is found in any letter case, and % and _ match themselves only', async () => {
      assert.deepEqual(await found({ op: 'text', text: 'ümläut' }), [3])
      assert.deepEqual(await found({ op: 'text', text: '%' }), [3])
      assert.deepEqual(await found({ op: 'text', text: 'a_r' }), [4])
      assert.deepEqual(await found({ op: 'name', text: 'BETA' }), [1])
    })

    test('filters combine, and nulls match only where they should', async () => {
      const isNull: Filter = { op: 'null', field: 'description' }
      assert.equal((await found(isNull)).length, 334)
      assert.equal((await found({ op: 'not', of: isNull })).length, 666)
      const isD1: Filter = { op: 'eq', field: 'description', value: 'D1' }
      const notD1: Filter = { op: 'neq', field: 'description', value: 'd1' }
      assert.equal((await found(isD1)).length + (await found(notD1)).length, 1_000)
      const published: Filter = { op: 'eq', field: 'isPublished', value: true }
      assert.equal((await found(published)).length, 500)
      assert.deepEqual(
        await found({ op: 'and', of: [{ op: 'ids', ids: [1, 2, 4_000] }, published] }),
        [1],
      )
      assert.deepEqual(await found({ op: 'or', of: [] }), [])
      assert.deepEqual(await found({ op: 'ids', ids: [] }), [])
      const late: Filter = { op: 'gte', field: 'dateModified', value: 1_000_009 }
      assert.equal((await found(late)).length, 100)
    })

    test('"mine" finds the rows of the reader, and none for a reader that is no user', async () => {
      assert.equal((await read({ filter: { op: 'mine' } }, 3)).count, 200)
      assert.equal((await read({ filter: { op: 'mine' } })).count, 0)
    })
  })
}
