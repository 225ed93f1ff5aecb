import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Generated, type Kysely, sql, type Transaction } from 'kysely'
import { type TestDatabase, testDatabases } from '../../test/databases.ts'
import { type Migrations, migrate } from './migrate.ts'
import { runQuery } from './statements.ts'
import { openStorage, type Storage } from './storage.ts'
import { isUniqueViolation } from './storage-error.ts'

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

for (const { name, create } of testDatabases) {
  describe(`storage on ${name}`, () => {
    let database: TestDatabase
    let storage: Storage
    let db: Kysely<Tables>

    before(async () => {
      database = await create()
      storage = openStorage({ url: database.url, onIdleError: () => undefined })
      await migrate(storage, [migrations])
      db = storage.tables<Tables>()
    })
    after(async () => {
      await storage.close()
      await database.drop()
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

    test('a second row with a unique value is told by its column', async () => {
      const box = { id: 2, name: 'é', count: 0, is_open: false }
      const error = await db
        .insertInto('boxes')
        .values(box)
        .execute()
        .catch((e: unknown) => e)
      assert.equal(isUniqueViolation(error, 'name'), true)
      assert.equal(isUniqueViolation(error, 'count'), false)
    })

    test('foreign keys hold, and deleting cascades', async () => {
      await assert.rejects(db.insertInto('labels').values({ id: 1, box_id: 999 }).execute(), {
        name: 'ConstraintError',
        kind: 'foreign_key',
      })
      await db
        .insertInto('boxes')
        .values({ id: 10, name: 'ten', count: 0, is_open: false })
        .execute()
      await db.insertInto('labels').values({ id: 1, box_id: 10 }).execute()
      await db.deleteFrom('boxes').where('id', '=', 10).execute()
      assert.deepEqual(await db.selectFrom('labels').selectAll().execute(), [])
    })

    test('a transaction that throws, and one whose result is not kept, leave nothing', async () => {
      const insert = (tx: Transaction<Tables>) =>
        tx
          .insertInto('boxes')
          .values({ id: 20, name: 'twenty', count: 0, is_open: false })
          .execute()
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

    test('work that is nothing but its queries is done as a whole, or leaves nothing and says why', async () => {
      const insert = (id: number) =>
        db.insertInto('boxes').values({ id, name: `box ${id}`, count: id, is_open: true })
      const ids = await storage.write(function* () {
        const [first] = yield* runQuery<{ id: number }>(insert(21).returning('id').compile())
        const [second] = yield* runQuery<{ id: number }>(insert(22).returning('id').compile())
        return [first?.id, second?.id]
      })
      assert.deepEqual(ids, [21, 22])
      const failing = storage.write(function* () {
        yield* runQuery(insert(23).compile())
        yield* runQuery(insert(21).compile())
      })
      await assert.rejects(failing, { name: 'ConstraintError', kind: 'unique' })
      const rows = await db
        .selectFrom('boxes')
        .select('id')
        .where('id', 'in', [21, 22, 23])
        .execute()
      assert.deepEqual(rows.map(({ id }) => id).sort(), [21, 22])
    })

    test('work that is nothing but its queries waits for a transaction that is open, and sees what it changed', async () => {
      const box = { id: 24, name: 'twenty-four', count: 0, is_open: true }
      await db.insertInto('boxes').values(box).execute()
      const add = db
        .updateTable('boxes')
        .set((eb) => ({ count: eb('count', '+', 1) }))
        .where('id', '=', box.id)
      const count = db.selectFrom('boxes').select('count').where('id', '=', box.id).compile()
      const work = () =>
        storage.write(function* () {
          yield* runQuery(add.compile())
          const [row] = yield* runQuery<{ count: number }>(count)
          return row?.count
        })
      const started = Promise.withResolvers<void>()
      const transaction = storage.transaction(async (tx: Transaction<Tables>) => {
        await tx.executeQuery(add.compile())
        started.resolve()
        await setImmediate()
        await tx.executeQuery(add.compile())
      })
      await started.promise
      const seen = await Promise.all([work(), work(), work()])
      await transaction
      assert.deepEqual(seen.sort(), [3, 4, 5])
    })

    test('what a transaction has not committed is not seen outside of it', async () => {
      const other = Promise.withResolvers<void>()
      const seen = storage.transaction(async (tx: Transaction<Tables>) => {
        await tx
          .insertInto('boxes')
          .values({ id: 30, name: 'thirty', count: 0, is_open: false })
          .execute()
        const outside = await db.selectFrom('boxes').selectAll().where('id', '=', 30).execute()
        other.resolve()
        return outside.length
      })
      await other.promise
      assert.equal(await seen, 0)
      const rows = await db.selectFrom('boxes').select('id').where('id', '=', 30).execute()
      assert.equal(rows.length, 1)
    })

    test('who asks outside of his transaction waits for no other that waits like him', async () => {
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

    test('a hundred increments at once lose none', async () => {
      await db
        .insertInto('boxes')
        .values({ id: 40, name: 'forty', count: 0, is_open: false })
        .execute()
      const increment = () =>
        storage.transaction(async (tx: Transaction<Tables>) => {
          const { count } = await tx
            .selectFrom('boxes')
            .select('count')
            .where('id', '=', 40)
            .forUpdate()
            .executeTakeFirstOrThrow()
          await tx
            .updateTable('boxes')
            .set({ count: count + 1 })
            .where('id', '=', 40)
            .execute()
        })
      await Promise.all(Array.from({ length: 100 }, increment))
      const row = await db
        .selectFrom('boxes')
        .select('count')
        .where('id', '=', 40)
        .executeTakeFirst()
      assert.equal(row?.count, 100)
    })

    test('a named lock lets one transaction in at a time', async () => {
      let inside = 0
      let most = 0
      const work = () =>
        storage.transaction(async (tx: Transaction<Tables>) => {
          await storage.lock(tx, 'door')
          inside += 1
          most = Math.max(most, inside)
          await sql`select 1`.execute(tx)
          inside -= 1
        })
      await Promise.all([work(), work(), work(), work()])
      assert.equal(most, 1)
    })

    test('migrations run once when ten processes start together', async () => {
      const fresh = await create()
      const storages = Array.from({ length: 10 }, () =>
        openStorage({ url: fresh.url, onIdleError: () => undefined }),
      )
      const runs = await Promise.all(storages.map((each) => migrate(each, [migrations])))
      assert.deepEqual(runs.flat().sort(), ['01_boxes', '02_labels'])
      await Promise.all(storages.map((each) => each.close()))
      await fresh.drop()
    })

    test('a database of a newer Mailyard is refused in words', async () => {
      const fresh = await create()
      const newer = openStorage({ url: fresh.url, onIdleError: () => undefined })
      await migrate(newer, [migrations])
      const { '01_boxes': boxes } = migrations
      await assert.rejects(migrate(newer, [boxes ? { '01_boxes': boxes } : {}]), /newer Mailyard/)
      await newer.close()
      await fresh.drop()
    })

    test('the change stamp changes with every commit, whoever makes it, or is not offered', async () => {
      const other = openStorage({ url: database.url, onIdleError: () => undefined })
      const before = storage.changeStamp()
      assert.equal(storage.changeStamp(), before)
      await db.updateTable('boxes').set({ count: 1 }).where('id', '=', 40).execute()
      const afterOwn = storage.changeStamp()
      await other
        .tables<Tables>()
        .updateTable('boxes')
        .set({ count: 2 })
        .where('id', '=', 40)
        .execute()
      // What another process commits is told to this one in a later turn of its event loop.
      await setImmediate()
      const afterOther = storage.changeStamp()
      if (storage.kind === 'sqlite') {
        assert.equal(new Set([before, afterOwn, afterOther]).size, 3)
      } else {
        assert.deepEqual([before, afterOwn, afterOther], [undefined, undefined, undefined])
      }
      await other.close()
    })
  })
}
