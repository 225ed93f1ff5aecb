import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Generated, sql, type Transaction } from 'kysely'
import { type TestDatabase, testDatabases } from '../../../../test/databases.ts'
import { openPostgresProxy, type PostgresProxy } from '../../../../test/postgres-proxy.ts'
import { until } from '../../../../test/until.ts'
import { openStorage, type Storage } from '../storage.ts'

interface Tables {
  notes: { id: Generated<number>; text: string }
}

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`errors of a database that fails, on ${name}`, () => {
    let database: TestDatabase
    let route: PostgresProxy
    let storage: Storage
    before(async () => {
      database = await create()
      route = await openPostgresProxy(database.url)
      storage = openStorage({ url: route.url, onIdleError: () => undefined })
      const notes = sql`create table notes (id serial primary key, text text not null)`
      await notes.execute(storage.tables())
    })
    after(async () => {
      await storage.close()
      await route.close()
      await database.drop()
    })

    const add = (text: string) => (tx: Transaction<Tables>) =>
      tx.insertInto('notes').values({ text }).execute()
    const isThere = async (text: string) => {
      const query = storage.tables<Tables>().selectFrom('notes').select('id')
      return (await query.where('text', '=', text).executeTakeFirst()) !== undefined
    }

    test('a change that is over the time limit of statements was not made, and may be tried again', async () => {
      const slow = storage.transaction(async (tx: Transaction<Tables>) => {
        await add('slow')(tx)
        await sql`set local statement_timeout = 50`.execute(tx)
        await sql`select pg_sleep(5)`.execute(tx)
      })
      await assert.rejects(slow, { kind: 'upstream', message: /took too long.*Nothing was saved/ })
      assert.equal(await isThere('slow'), false)
    })

    test('a change whose commit was not answered is reported as one that may have been made', async () => {
      route.loseNextCommit()
      const lost = storage.transaction(add('kept'))
      await assert.rejects(lost, { kind: 'upstream', message: /may or may not be kept/ })
      assert.equal(await isThere('kept'), true)
    })

    test('and so is a change outside of any transaction', async () => {
      const db = storage.tables<Tables>()
      route.loseNextCommit()
      // The proxy looks for this word.
      const lost = db.insertInto('notes').values({ text: 'commit' }).execute()
      await assert.rejects(lost, { kind: 'upstream', message: /may or may not be kept/ })
      assert.equal(await isThere('commit'), true)
    })

    test('a lost idle connection is reported without the connection object', async () => {
      const errors: Error[] = []
      const idle = openStorage({ url: database.url, onIdleError: (error) => errors.push(error) })
      const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`
      const { rows } = await pid.execute(idle.tables())
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(storage.tables())
      await until(() => errors.length > 0, 'it is reported')
      await idle.close()
      assert.match(String(errors[0]), /terminating connection/)
      for (const error of errors) assert.equal('client' in error, false)
    })
  })
}
