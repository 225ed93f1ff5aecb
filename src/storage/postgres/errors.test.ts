import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Generated, sql, type Transaction } from 'kysely'
import { type TestDatabase, testDatabases } from '../../../test/databases.ts'
import { openPostgresWay, type PostgresWay } from '../../../test/postgres-way.ts'
import { openStorage, type Storage } from '../storage.ts'

interface Tables {
  notes: { id: Generated<number>; text: string }
}

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`what is said of a database that fails, on ${name}`, () => {
    let database: TestDatabase
    let way: PostgresWay
    let storage: Storage
    before(async () => {
      database = await create()
      way = await openPostgresWay(database.url)
      storage = openStorage({ url: way.url, onIdleError: () => undefined })
      const notes = sql`create table notes (id serial primary key, text text not null)`
      await notes.execute(storage.tables())
    })
    after(async () => {
      await storage.close()
      await way.close()
      await database.drop()
    })

    const add = (text: string) => (tx: Transaction<Tables>) =>
      tx.insertInto('notes').values({ text }).execute()
    const isThere = async (text: string) => {
      const query = storage.tables<Tables>().selectFrom('notes').select('id')
      return (await query.where('text', '=', text).executeTakeFirst()) !== undefined
    }

    test('a change that takes longer than a statement may was not made, and may be tried again', async () => {
      const slow = storage.transaction(async (tx: Transaction<Tables>) => {
        await add('slow')(tx)
        await sql`set local statement_timeout = 50`.execute(tx)
        await sql`select pg_sleep(5)`.execute(tx)
      })
      await assert.rejects(slow, { kind: 'upstream', message: /took too long.*Nothing was saved/ })
      assert.equal(await isThere('slow'), false)
    })

    test('a change whose commit was not answered may have been made: nobody is told that it was not', async () => {
      way.loseNextCommit()
      const lost = storage.transaction(add('kept'))
      await assert.rejects(lost, { kind: 'upstream', message: /may or may not be kept/ })
      assert.equal(await isThere('kept'), true)
    })

    test('nor is it told of a change outside of any transaction', async () => {
      const db = storage.tables<Tables>()
      way.loseNextCommit()
      // Whatever holds the word that the way looks for.
      const lost = db.insertInto('notes').values({ text: 'commit' }).execute()
      await assert.rejects(lost, { kind: 'upstream', message: /may or may not be kept/ })
      assert.equal(await isThere('commit'), true)
    })

    test('a connection that is lost while it rests is told of by itself, not with all that it holds', async () => {
      const told: Error[] = []
      const resting = openStorage({ url: database.url, onIdleError: (error) => told.push(error) })
      const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`
      const { rows } = await pid.execute(resting.tables())
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(storage.tables())
      const deadline = Date.now() + 10_000
      while (told.length === 0 && Date.now() < deadline) await setTimeout(20)
      await resting.close()
      assert.match(String(told[0]), /terminating connection/)
      for (const error of told) assert.equal('client' in error, false)
    })
  })
}
