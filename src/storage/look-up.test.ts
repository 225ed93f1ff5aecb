import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type TestDatabase, testDatabases } from '../../test/databases.ts'
import { AppError } from '../kit/app-error.ts'
import { createLookUp } from './look-up.ts'
import { openStorage, type Storage } from './storage.ts'

interface Tables {
  boxes: { name: string; count: number }
}

for (const { name, create } of testDatabases) {
  describe(`a look-up on ${name}`, () => {
    let database: TestDatabase
    let storage: Storage
    let find: (name: string) => Promise<Tables['boxes'] | undefined>
    before(async () => {
      database = await create()
    })
    after(() => database.drop())
    beforeEach(async () => {
      storage = openStorage({ url: database.url, onIdleError: () => undefined })
      const db = storage.tables<Tables>()
      await sql`drop table if exists boxes`.execute(db)
      await sql`create table boxes (name text primary key, count bigint)`.execute(db)
      await db
        .insertInto('boxes')
        .values({ name: 'é', count: 2 ** 52 })
        .execute()
      const lookUp = createLookUp<Tables['boxes']>(storage, () =>
        db.selectFrom('boxes').selectAll().where('name', '=', '').compile(),
      )
      find = async (wanted) => lookUp(wanted)
    })
    afterEach(() => storage.close())

    test('finds what is there, and sees each change at once', async () => {
      assert.deepEqual({ ...(await find('é')) }, { name: 'é', count: 2 ** 52 })
      assert.equal(await find('e'), undefined)
      const db = storage.tables<Tables>()
      await db.updateTable('boxes').set({ count: 2 }).execute()
      assert.equal((await find('é'))?.count, 2)
      const many = await Promise.all(Array.from({ length: 50 }, () => find('é')))
      assert.ok(many.every((row) => row?.count === 2))
    })

    test('goes on when somebody has given its table another column', async () => {
      await find('é')
      await sql`alter table boxes add column color text`.execute(storage.tables())
      assert.deepEqual({ ...(await find('é')) }, { name: 'é', count: 2 ** 52, color: null })
      assert.equal(await find('e'), undefined)
    })

    test('goes on when a pooler between forgets what was prepared', async (context) => {
      if (storage.kind === 'sqlite') return context.skip('Nothing is between it and SQLite.')
      await find('é')
      await sql`deallocate all`.execute(storage.tables())
      assert.equal((await find('é'))?.count, 2 ** 52)
      assert.equal((await find('é'))?.count, 2 ** 52)
    })

    test('fails for what is wrong with itself, and goes on when that is mended', async () => {
      const db = storage.tables()
      await sql`alter table boxes rename to cases`.execute(db)
      await assert.rejects(find('é'), (error) => !(error instanceof AppError))
      await sql`alter table cases rename to boxes`.execute(db)
      assert.equal((await find('é'))?.count, 2 ** 52)
    })
  })
}
