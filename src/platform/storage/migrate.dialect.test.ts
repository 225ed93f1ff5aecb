import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { type Generated, type Kysely, sql } from 'kysely'
import { testDatabases } from '../../../test/databases.ts'
import { openTestStorage } from '../../../test/use-storage.ts'
import type { AppError } from '../../kit/app-error.ts'
import { inspectMigrations, type Migrations, migrate } from './migrate.ts'
import { openStorage, type Storage } from './storage.ts'

interface Tables {
  people: { id: Generated<number>; name: string; initial: string }
  letters: { id: Generated<number>; person_id: number }
}

const first: Migrations = {
  async '00.01.00_people'(db) {
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
  async '00.02.00_initials'(db) {
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

/** Runs migrations on a database that is backed up; returns the names of those that ran. */
async function run(storage: Storage, modules: readonly Migrations[]): Promise<string[]> {
  return (await migrate(storage, modules, { isBackedUp: true })).names
}

for (const { name, create } of testDatabases) {
  describe(`migrations on ${name}`, () => {
    /** Opens a database that the first version has filled. */
    const openWithRows = async (context: TestContext) => {
      const { storage, url } = await openTestStorage(context, create)
      const db = storage.tables<Tables>()
      assert.deepEqual(await run(storage, [first]), ['00.01.00_people'])
      await sql`insert into people (id, name) values (1, 'Ann'), (2, 'Bob')`.execute(db)
      await sql`insert into letters (id, person_id) values (10, 1), (11, 2)`.execute(db)
      return { storage, db, url }
    }
    const people = (db: Kysely<Tables>) =>
      db.selectFrom('people').selectAll().orderBy('id').execute()

    test('that change a table keep its rows, and the rows that refer to them', async (context) => {
      const { storage, db } = await openWithRows(context)
      assert.deepEqual(await run(storage, [first, second]), ['00.02.00_initials'])
      assert.deepEqual(await people(db), [
        { id: 1, name: 'Ann', initial: 'A' },
        { id: 2, name: 'Bob', initial: 'B' },
      ])
      assert.deepEqual(await db.selectFrom('letters').selectAll().orderBy('id').execute(), [
        { id: 10, person_id: 1 },
        { id: 11, person_id: 2 },
      ])
      assert.deepEqual(await run(storage, [first, second]), [])
    })

    test('of which one fails leave schema and rows as they were, and run again after a correction', async (context) => {
      const { storage, db } = await openWithRows(context)
      const failing: Migrations = {
        async '00.03.00_names'(tx) {
          await sql`update people set name = 'lost'`.execute(tx)
          await sql`delete from letters`.execute(tx)
          throw new Error('This migration is broken.')
        },
      }
      await assert.rejects(run(storage, [first, second, failing]), /is broken/)
      const before = [
        { id: 1, name: 'Ann' },
        { id: 2, name: 'Bob' },
      ]
      assert.deepEqual(await people(db), before)
      assert.equal((await db.selectFrom('letters').selectAll().execute()).length, 2)
      assert.deepEqual(await inspectMigrations(storage, [first, second, failing]), {
        pending: ['00.02.00_initials', '00.03.00_names'],
        newer: [],
        version: '0.1.0',
      })
      const corrected: Migrations = {
        async '00.03.00_names'(tx) {
          await sql`update people set name = upper(name)`.execute(tx)
        },
      }
      const all = [first, second, corrected]
      assert.deepEqual(await run(storage, all), ['00.02.00_initials', '00.03.00_names'])
      const names = (await people(db)).map((person) => person.name)
      assert.deepEqual(names, ['ANN', 'BOB'])
    })

    test('run once when ten processes start together', async () => {
      const fresh = await create()
      const storages = Array.from({ length: 10 }, () =>
        openStorage({ url: fresh.url, onIdleError: () => undefined }),
      )
      const runs = await Promise.all(storages.map((each) => run(each, [first, second])))
      assert.deepEqual(runs.flat().sort(), ['00.01.00_people', '00.02.00_initials'])
      await Promise.all(storages.map((each) => each.close()))
      await fresh.drop()
    })

    test('of a newer Mailyard are refused with a reason', async (context) => {
      const { storage } = await openWithRows(context)
      await run(storage, [first, second])
      await assert.rejects(run(storage, [first]), {
        message: 'The database was made by a newer Mailyard. Start that one.',
      })
      assert.deepEqual((await inspectMigrations(storage, [first])).newer, ['00.02.00_initials'])
    })

    test('of an upgrade run after the database was copied, or a person has backed it up', async (context) => {
      const { storage, db, url } = await openWithRows(context)
      const upgrade = () => migrate(storage, [first, second])
      if (storage.isShared) {
        await assert.rejects(upgrade(), (error: AppError) => {
          assert.equal(error.code, 'backup_required')
          const shown = new URL(url)
          shown.password = ''
          assert.ok(error.message.includes(`pg_dump -Fc -f 'mailyard-0.1.0.dump' '${shown}'`))
          return true
        })
        assert.equal((await people(db)).length, 2)
        assert.deepEqual(await run(storage, [first, second]), ['00.02.00_initials'])
        return
      }
      const file = url.slice('sqlite:'.length)
      const copy = `${file}.before-upgrade-from-0.1.0`
      chmodSync(file, 0o640)
      mkdirSync(copy)
      await assert.rejects(upgrade(), { code: 'database_not_copied' })
      assert.equal((await inspectMigrations(storage, [first, second])).pending.length, 1)
      rmdirSync(copy)
      const names = ['00.02.00_initials']
      assert.deepEqual(await upgrade(), { names, from: '0.1.0', to: '0.2.0', copy })
      assert.equal(statSync(copy).mode & 0o777, 0o640)
      const copied = new DatabaseSync(copy)
      assert.deepEqual({ ...copied.prepare('select * from people').get() }, { id: 1, name: 'Ann' })
      copied.close()
      const third: Migrations = { '00.10.00_nothing': async () => undefined }
      await migrate(storage, [first, second, third])
      assert.deepEqual(
        readdirSync(dirname(file)).filter((each) => !/-(wal|shm)$/.test(each)),
        [basename(file), `${basename(file)}.before-upgrade-from-0.2.0`],
      )
    })

    test('do not run on a database that was made before the first release, in which nothing is changed', async (context) => {
      const { storage, db } = await openWithRows(context)
      await sql`update migrations set name = '20261123_01_people'`.execute(db)
      const refusal = { code: 'database_unreleased', message: /made before Mailyard 0\.1\.0/ }
      await assert.rejects(migrate(storage, [first, second]), refusal)
      await assert.rejects(inspectMigrations(storage, [first, second]), refusal)
      assert.deepEqual(await people(db), [
        { id: 1, name: 'Ann' },
        { id: 2, name: 'Bob' },
      ])
    })
  })
}
