import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { testDatabases } from '../../../test/databases.ts'
import { openPostgresWay } from '../../../test/postgres-way.ts'
import { openStorage } from '../storage.ts'

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`connections whose other end is gone without a word, on ${name}`, () => {
    test('what waits is told that the database does not answer, and the next has a connection that works', async (context) => {
      const database = await create()
      const way = await openPostgresWay(database.url)
      const storage = openStorage({
        url: way.url,
        onIdleError: () => undefined,
        silentAfterMs: 500,
      })
      context.after(async () => {
        await storage.close()
        await way.close()
        await database.drop()
      })
      const db: Kysely<unknown> = storage.tables<unknown>()
      const ask = () => sql`select 1`.execute(db)
      // As many as the pool has.
      await Promise.all(Array.from({ length: 10 }, ask))
      way.silence()
      const asked = await Promise.allSettled(Array.from({ length: 10 }, ask))
      for (const each of asked) {
        assert.ok(each.status === 'rejected')
        assert.equal(each.reason.kind, 'upstream')
      }
      await ask()
      // One that rests is not one that is lost.
      await storage.transaction(async (tx) => {
        await sql`select pg_sleep(0.3)`.execute(tx)
        await sql`select pg_sleep(0.3)`.execute(tx)
      })
    })

    test('a transaction that the server ended while this process slept says that the database is not there', async () => {
      const database = await create()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      const slept = storage.transaction(async (tx) => {
        await sql`set local idle_in_transaction_session_timeout = 50`.execute(tx)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
        await sql`select 1`.execute(tx)
      })
      await assert.rejects(slept, { kind: 'upstream' })
      await storage.close()
      await database.drop()
    })
  })
}
