import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type Generated, type Kysely, sql } from 'kysely'
import { testDatabases } from '../../../test/databases.ts'
import { openTestStorage } from '../../../test/use-storage.ts'
import { inspectMigrations, type Migrations, migrate } from './migrate.ts'
import { openStorage } from './storage.ts'

interface Tables {
  people: { id: Generated<number>; name: string; initial: string }
  letters: { id: Generated<number>; person_id: number }
}

const first: Migrations = {
  async '01_people'(db) {
    await db.schema
      .createTable('people')
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('name', 'text', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('letters')
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('person_id', 'integer', (c) =>
        c.notNull().references('people.id').onDelete('cascade'),
      )
      .execute()
  },
}

/** Changes the schema and every row, as a later version does. */
const second: Migrations = {
  async '02_initials'(db) {
    await addInitials(db)
  },
}

async function addInitials(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('people')
    .addColumn('initial', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  for (const { id, name } of await db.selectFrom('people').select(['id', 'name']).execute()) {
    const initial = name.slice(0, 1)
    await db.updateTable('people').set({ initial }).where('id', '=', id).execute()
  }
}

for (const { name, create } of testDatabases) {
  describe(`migrations on ${name}`, () => {
    /** Opens a database that the first version has filled. */
    const openWithRows = async (context: TestContext) => {
      const { storage } = await openTestStorage(context, create)
      const db = storage.tables<Tables>()
      assert.deepEqual(await migrate(storage, [first]), ['01_people'])
      await sql`insert into people (id, name) values (1, 'Ann'), (2, 'Bob')`.execute(db)
      await sql`insert into letters (id, person_id) values (10, 1), (11, 2)`.execute(db)
      return { storage, db }
    }
    const people = (db: Kysely<Tables>) =>
      db.selectFrom('people').selectAll().orderBy('id').execute()

    test('that change a table keep its rows, and the rows that refer to them', async (context) => {
      const { storage, db } = await openWithRows(context)
      assert.deepEqual(await migrate(storage, [first, second]), ['02_initials'])
      assert.deepEqual(await people(db), [
        { id: 1, name: 'Ann', initial: 'A' },
        { id: 2, name: 'Bob', initial: 'B' },
      ])
      assert.deepEqual(await db.selectFrom('letters').selectAll().orderBy('id').execute(), [
        { id: 10, person_id: 1 },
        { id: 11, person_id: 2 },
      ])
      assert.deepEqual(await migrate(storage, [first, second]), [])
    })

    test('of which one fails leave schema and rows as they were, and run again after a correction', async (context) => {
      const { storage, db } = await openWithRows(context)
      const failing: Migrations = {
        async '03_names'(tx) {
          await sql`update people set name = 'lost'`.execute(tx)
          await sql`delete from letters`.execute(tx)
          throw new Error('This migration is broken.')
        },
      }
      await assert.rejects(migrate(storage, [first, second, failing]), /is broken/)
      const before = [
        { id: 1, name: 'Ann' },
        { id: 2, name: 'Bob' },
      ]
      assert.deepEqual(await people(db), before)
      assert.equal((await db.selectFrom('letters').selectAll().execute()).length, 2)
      assert.deepEqual(await inspectMigrations(storage, [first, second, failing]), {
        pending: ['02_initials', '03_names'],
        newer: [],
      })
      const corrected: Migrations = {
        async '03_names'(tx) {
          await sql`update people set name = upper(name)`.execute(tx)
        },
      }
      const all = [first, second, corrected]
      assert.deepEqual(await migrate(storage, all), ['02_initials', '03_names'])
      const names = (await people(db)).map((person) => person.name)
      assert.deepEqual(names, ['ANN', 'BOB'])
    })

    test('run once when ten processes start together', async () => {
      const fresh = await create()
      const storages = Array.from({ length: 10 }, () =>
        openStorage({ url: fresh.url, onIdleError: () => undefined }),
      )
      const runs = await Promise.all(storages.map((each) => migrate(each, [first, second])))
      assert.deepEqual(runs.flat().sort(), ['01_people', '02_initials'])
      await Promise.all(storages.map((each) => each.close()))
      await fresh.drop()
    })

    test('of a newer Mailyard are refused with a reason', async (context) => {
      const { storage } = await openWithRows(context)
      await migrate(storage, [first, second])
      await assert.rejects(migrate(storage, [first]), {
        message: 'The database was made by a newer Mailyard. Start that one.',
      })
      assert.deepEqual((await inspectMigrations(storage, [first])).newer, ['02_initials'])
    })
  })
}
