import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type TestDatabase, testDatabases } from '../../test/databases.ts'
import { AppError } from '../kit/app-error.ts'
import {
  createRecordTable,
  type Migrations,
  migrate,
  openRecordStore,
  openStorage,
  type RecordRow,
  type Storage,
} from '../storage/index.ts'
import type { ResourceDefinition } from './definition.ts'
import { openResource, type Resource } from './open-resource.ts'

interface BoxRow extends RecordRow {
  name: string
}
interface BoxInput {
  name: string
  isPublished?: boolean
}
type Boxes = Resource<BoxRow, { id: number; name: string }, BoxInput>
type Definition = ResourceDefinition<BoxRow, { id: number; name: string }, BoxInput>

const caller = { userId: 1, name: 'Ann', email: undefined, isAdmin: true, can: () => true }
const context = { caller, isAtomic: false }
const refused = (message: string) => new AppError('conflict', 'box_refused', message)

for (const { name, create } of testDatabases) {
  describe(`a resource, on ${name}`, () => {
    let database: TestDatabase
    let storage: Storage
    /** The steps of the changes of one test, in order. */
    let steps: string[]

    before(async () => {
      database = await create()
      storage = openStorage({ url: database.url, onIdleError: () => undefined })
      const boxes: Migrations = {
        async '01_boxes'(db, database) {
          const table = createRecordTable(db, database, 'boxes')
          await table.addColumn('name', 'text', (column) => column.notNull()).execute()
        },
      }
      await migrate(storage, [boxes])
    })
    beforeEach(() => {
      steps = []
    })
    after(async () => {
      await storage.close()
      await database.drop()
    })

    const openBoxes = (change: Partial<Definition> = {}): Boxes =>
      openResource({
        storage,
        clock: { now: () => 1 },
        store: openRecordStore<BoxRow>(storage, { table: 'boxes', nameColumn: 'name', fields: {} }),
        area: 'box',
        notFound: (id) => new AppError('not_found', 'box_not_found', `Box ${id} was not found.`),
        toInput: (row) => ({ name: row.name, isPublished: Boolean(row.is_published) }),
        prepare: ({ input }) => {
          steps.push(`prepare ${input.name}`)
          if (input.name === '') throw refused('A box has a name.')
          const { name: text, isPublished = true } = input
          return { columns: { name: text, is_published: isPublished, search_text: text } }
        },
        beforeWrite: (_tx, { input }) => void steps.push(`beforeWrite ${input.name}`),
        afterWrite: async (_tx, { rows }) => {
          steps.push(`afterWrite ${rows.map((row) => row.name).join(' ')}`)
        },
        present: (rows) => {
          if (rows.length > 0) steps.push('present')
          return rows.map((row) => ({ id: row.id, name: row.name }))
        },
        ...change,
      })
    const add = async (boxes: Boxes, text: string) => {
      const [result] = await boxes.create([{ name: text }], context)
      assert.ok(result?.ok)
      steps = []
      return result.value.item.id
    }

    test('prepares all items, then writes them, then presents them', async () => {
      const results = await openBoxes().create([{ name: 'a' }, { name: 'b' }], context)
      assert.ok(results.every((result) => result.ok && result.value.isNew))
      const prepared = ['prepare a', 'prepare b']
      assert.deepEqual(steps, [
        ...prepared,
        'beforeWrite a',
        'beforeWrite b',
        'afterWrite a b',
        'present',
      ])
    })

    test('writes nothing for an edit that changes nothing', async () => {
      const boxes = openBoxes()
      const id = await add(boxes, 'same')
      const [result] = await boxes.edit([{ id, mode: 'patch', values: { name: 'same' } }], context)
      assert.ok(result?.ok)
      assert.equal(Number(result.value.revision), 1)
      assert.deepEqual(steps, ['prepare same', 'beforeWrite same', 'present'])
    })

    test('an item that fails in any step stops no other', async () => {
      const beforeWrite: Definition['beforeWrite'] = (_tx, { input }) => {
        if (input.name === 'bad') throw refused('This box is bad.')
      }
      const items = ['', 'good', 'bad', 'fine'].map((text) => ({ name: text }))
      const results = await openBoxes({ beforeWrite }).create(items, context)
      assert.deepEqual(
        results.map((result) => (result.ok ? result.value.item.name : result.error.message)),
        ['A box has a name.', 'good', 'This box is bad.', 'fine'],
      )
    })

    test('an atomic change with an item that fails writes nothing', async () => {
      const boxes = openBoxes()
      const before = await boxes.list(allRows, caller).count()
      await boxes.create([{ name: 'x' }, { name: '' }], { caller, isAtomic: true })
      assert.equal(await boxes.list(allRows, caller).count(), before)
    })

    test('prepares an item again where what it depends on has changed', async () => {
      let checks = 0
      const prepare: Definition['prepare'] = ({ input }) => {
        steps.push(`prepare ${input.name}`)
        const columns = { name: input.name, is_published: true, search_text: '' }
        return { columns, isCurrent: () => ++checks > 2 }
      }
      const [result] = await openBoxes({ prepare }).create([{ name: 'a' }], context)
      assert.ok(result?.ok)
      assert.deepEqual(steps.slice(0, 3), ['prepare a', 'prepare a', 'prepare a'])
    })

    test('gives up where what an item depends on keeps changing', async () => {
      const prepare: Definition['prepare'] = ({ input }) => {
        const columns = { name: input.name, is_published: true, search_text: '' }
        return { columns, isCurrent: () => false }
      }
      const [result] = await openBoxes({ prepare }).create([{ name: 'a' }], context)
      assert.deepEqual(result?.ok === false && result.error.code, 'edit_conflict')
    })

    test('commits 200 items in one transaction', async () => {
      const sizes: number[] = []
      const afterWrite: Definition['afterWrite'] = async (_tx, { rows }) => {
        sizes.push(rows.length)
      }
      const items = Array.from({ length: 450 }, (_, index) => ({ name: `box ${index}` }))
      await openBoxes({ afterWrite }).create(items, context)
      assert.deepEqual(sizes, [200, 200, 50])
    })

    test('refuses a change of a revision that the caller has not seen', async () => {
      const boxes = openBoxes()
      const id = await add(boxes, 'seen')
      const change = { id, mode: 'patch' as const, values: { name: 'other' } }
      const [first] = await boxes.edit([{ ...change, seen: [1] }], context)
      const [second] = await boxes.edit([{ ...change, seen: [1] }], context)
      const [removal] = await boxes.remove([{ id, seen: [1] }], context)
      assert.equal(first?.ok, true)
      for (const result of [second, removal])
        assert.match(String(result?.ok === false && result.error.message), /^Ann has changed it/)
    })

    test('replaces a missing record with a new one, and finds none for a PATCH', async () => {
      const values = { name: 'new' }
      const results = await openBoxes().edit(
        [
          { id: 999_999, mode: 'put', values },
          { id: 999_999, mode: 'patch', values },
        ],
        context,
      )
      assert.deepEqual(
        results.map((result) => (result.ok ? result.value.isNew : result.error.message)),
        [true, 'Box 999999 was not found.'],
      )
    })

    test('a caller whom checkCaller refuses can neither see nor change any record', async () => {
      const id = await add(openBoxes(), 'closed')
      const boxes = openBoxes({
        checkCaller({ userId }) {
          if (userId === 2) throw new AppError('forbidden', 'box_forbidden', 'Boxes are closed.')
        },
      })
      const other = { ...caller, userId: 2 }
      const change = { id, mode: 'patch' as const, values: { name: 'open' } }
      const changesWith = (isAtomic: boolean) => [
        () => boxes.create([{ name: 'a' }], { caller: other, isAtomic }),
        () => boxes.edit([change], { caller: other, isAtomic }),
        () => boxes.remove([{ id }], { caller: other, isAtomic }),
      ]
      const attempts = [
        () => boxes.list(allRows, other),
        () => boxes.get(id, other),
        () => boxes.getRow(id, other),
        ...changesWith(true),
      ]
      for (const attempt of attempts)
        await assert.rejects(async () => attempt(), { code: 'box_forbidden' }, attempt.toString())
      for (const attempt of changesWith(false)) {
        const [result] = await attempt()
        assert.equal(result?.ok === false && result.error.code, 'box_forbidden')
      }
      assert.deepEqual(steps, [])
      assert.equal((await boxes.getRow(id, caller)).name, 'closed')
    })

    test('removes a record unless beforeRemove refuses, and passes its sentence on', async () => {
      const beforeRemove: NonNullable<Definition['beforeRemove']> = (_tx, { current }) => {
        if (current.name === 'kept') throw refused('This box stays.')
        return { consequence: { planned: 'It is empty.', done: 'It was empty.' } }
      }
      const boxes = openBoxes({ beforeRemove })
      const [kept, gone] = [await add(boxes, 'kept'), await add(boxes, 'gone')]
      const removals = [{ id: kept }, { id: gone }, { id: gone }]
      for (const [isDryRun, sentence] of [
        [true, 'It is empty.'],
        [false, 'It was empty.'],
      ] as const) {
        const results = await boxes.remove(removals, { ...context, isDryRun })
        assert.deepEqual(
          results.map((result) => (result.ok ? result.value.consequence : result.error.message)),
          ['This box stays.', sentence, `Box ${gone} was not found.`],
        )
      }
      assert.notEqual(await boxes.findRow(kept), undefined)
      await assert.rejects(boxes.getRow(gone), /was not found/)
    })
  })
}

const allRows = { start: 0, limit: undefined, filter: { op: 'and', of: [] }, order: [] } as const
