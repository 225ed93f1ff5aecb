import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Generated, type Kysely, sql, type Transaction } from 'kysely'
import { testDatabases } from '../../../test/databases.ts'
import { useStorage } from '../../../test/use-storage.ts'
import { type Migrations, migrate } from './migrate.ts'
import { createLookUp, openStorage, type Storage } from './storage.ts'
import { ConstraintError } from './storage-error.ts'

interface Tables {
  boxes: { id: Generated<number>; name: string; count: number; is_open: boolean }
  labels: { id: Generated<number>; box_id: number }
}

const migrations: Migrations = {
  async '01_boxes'(db) {
    await db.schema
      .createTable('boxes')
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('name', 'text', (c) => c.notNull().unique())
      .addColumn('count', 'bigint', (c) => c.notNull())
      .addColumn('is_open', 'boolean', (c) => c.notNull())
      .execute()
  },
  async '02_labels'(db) {
    await db.schema
      .createTable('labels')
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('box_id', 'integer', (c) => c.notNull().references('boxes.id').onDelete('cascade'))
      .execute()
  },
}

const addBox = (db: Kysely<Tables>, id: number, name: string) =>
  db.insertInto('boxes').values({ id, name, count: 0, is_open: false }).execute()

for (const { name, create } of testDatabases) {
  describe(`storage on ${name}`, () => {
    let url = ''
    let storage: Storage
    let db: Kysely<Tables>

    useStorage(create, async (opened) => {
      url = opened.url
      storage = opened.storage
      await migrate(storage, [migrations])
      db = storage.tables<Tables>()
    })

    test('values come back as they went in', async () => {
      const count = 2 ** 52
      await db.insertInto('boxes').values({ id: 1, name: 'é', count, is_open: true }).execute()
      const row = await db
        .selectFrom('boxes')
        .selectAll()
        .where('is_open', '=', true)
        .executeTakeFirstOrThrow()
      assert.equal(row.name, 'é')
      assert.equal(row.count, count)
      assert.equal(Boolean(row.is_open), true)
    })

    test('a violated unique constraint names its column', async () => {
      const error = await addBox(db, 2, 'é').catch((e: unknown) => e)
      assert.ok(error instanceof ConstraintError)
      assert.deepEqual([error.kind, error.columns], ['unique', ['name']])
    })

    test('foreign keys hold, and deleting cascades', async () => {
      await assert.rejects(db.insertInto('labels').values({ id: 1, box_id: 999 }).execute(), {
        name: 'ConstraintError',
        kind: 'foreign_key',
      })
      await addBox(db, 10, 'ten')
      await db.insertInto('labels').values({ id: 1, box_id: 10 }).execute()
      await db.deleteFrom('boxes').where('id', '=', 10).execute()
      assert.deepEqual(await db.selectFrom('labels').selectAll().execute(), [])
    })

    test('a transaction that throws, and one whose result is not kept, leave nothing', async () => {
      const insert = (tx: Transaction<Tables>) => addBox(tx, 20, 'twenty')
      const failing = storage.transaction(async (tx: Transaction<Tables>) => {
        await insert(tx)
        throw new Error('stop')
      })
      await assert.rejects(failing, /stop/)
      const result = await storage.transaction(
        async (tx: Transaction<Tables>) => {
          await insert(tx)
          return 'refused'
        },
        { keeps: (text) => text !== 'refused' },
      )
      assert.equal(result, 'refused')
      const row = await db.selectFrom('boxes').selectAll().where('id', '=', 20).executeTakeFirst()
      assert.equal(row, undefined)
    })

    test('a transaction whose flush is deferred is committed as a whole, or leaves nothing and reports why', async () => {
      const insert = (tx: Transaction<Tables>, id: number) => addBox(tx, id, `box ${id}`)
      const deferred = { isFlushDeferred: true }
      await storage.transaction(async (tx: Transaction<Tables>) => {
        await insert(tx, 21)
        await insert(tx, 22)
      }, deferred)
      const failing = storage.transaction(async (tx: Transaction<Tables>) => {
        await insert(tx, 23)
        await insert(tx, 21)
      }, deferred)
      await assert.rejects(failing, { name: 'ConstraintError', kind: 'unique' })
      const rows = await db
        .selectFrom('boxes')
        .select('id')
        .where('id', 'in', [21, 22, 23])
        .execute()
      assert.deepEqual(rows.map(({ id }) => id).sort(), [21, 22])
    })

    test('transactions wait for one that is open, and see what it changed', async () => {
      await addBox(db, 24, 'twenty-four')
      const add = db
        .updateTable('boxes')
        .set((eb) => ({ count: eb('count', '+', 1) }))
        .where('id', '=', 24)
        .returning('count')
        .compile()
      const work = () =>
        storage.transaction(async (tx: Transaction<Tables>) => {
          const { rows } = await tx.executeQuery(add)
          return rows[0]?.count
        })
      const started = Promise.withResolvers<void>()
      const transaction = storage.transaction(async (tx: Transaction<Tables>) => {
        await tx.executeQuery(add)
        started.resolve()
        await setImmediate()
        await tx.executeQuery(add)
      })
      await started.promise
      const seen = await Promise.all([work(), work(), work()])
      await transaction
      assert.deepEqual(seen.sort(), [3, 4, 5])
    })

    test('what a transaction has not committed is not seen outside of it', async () => {
      const other = Promise.withResolvers<void>()
      const seen = storage.transaction(async (tx: Transaction<Tables>) => {
        await addBox(tx, 30, 'thirty')
        const outside = await db.selectFrom('boxes').selectAll().where('id', '=', 30).execute()
        other.resolve()
        return outside.length
      })
      await other.promise
      assert.equal(await seen, 0)
      const rows = await db.selectFrom('boxes').select('id').where('id', '=', 30).execute()
      assert.equal(rows.length, 1)
    })

    test('a query outside of its transaction does not wait for other transactions', async () => {
      const ask = () => storage.first<{ id: number }>(db.selectFrom('boxes').select('id').compile())
      const asking = Array.from({ length: 60 }, () =>
        storage.transaction(async (tx: Transaction<Tables>) => {
          await tx.selectFrom('labels').select('id').execute()
          await setImmediate()
          return ask()
        }),
      )
      const answers = await Promise.all(asking)
      assert.ok(answers.every((row) => row !== undefined))
    })

    test('a named lock lets one transaction in at a time', async () => {
      let inside = 0
      let most = 0
      const work = () =>
        storage.transaction(async (tx: Transaction<Tables>) => {
          await storage.lock(tx, 'name')
          inside += 1
          most = Math.max(most, inside)
          await sql`select 1`.execute(tx)
          inside -= 1
        })
      await Promise.all([work(), work(), work(), work()])
      assert.equal(most, 1)
    })

    test('the change stamp changes with every commit of any process', async () => {
      const other = openStorage({ url, onIdleError: () => undefined })
      const increment = (tables: Kysely<Tables>) =>
        tables.updateTable('boxes').set({ count: sql`count + 1` }).where('id', '=', 24).execute()
      const before = await storage.changeStamp()
      await increment(db)
      const afterOwn = await storage.changeStamp()
      await increment(other.tables<Tables>())
      // A commit of another process is seen in a later turn of the event loop.
      await setImmediate()
      const afterOther = await storage.changeStamp()
      const stamps = [before, afterOwn, afterOther]
      assert.ok(!stamps.includes(undefined))
      assert.equal(new Set(stamps).size, 3)
      await other.close()
    })

    test('a look-up puts each value where its query names it', async () => {
      const find = createLookUp(storage, (box: { name: string; least: number }) =>
        db
          .selectFrom('boxes')
          .select('id')
          .where('count', '>=', box.least)
          .where('name', '=', box.name),
      )
      await addBox(db, 7, 'seven')
      assert.equal((await find({ name: 'seven', least: 0 }))?.id, 7)
      assert.equal(await find({ name: 'seven', least: 1 }), undefined)
    })
  })
}
