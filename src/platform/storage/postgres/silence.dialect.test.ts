import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { testDatabases } from '../../../../test/databases.ts'
import { openPostgresProxy } from '../../../../test/postgres-proxy.ts'
import { openStorage } from '../storage.ts'

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`connections whose server is silent, on ${name}`, () => {
    test('queries that wait are rejected, and the next query gets a connection that works', async (context) => {
      const database = await create()
      const route = await openPostgresProxy(database.url)
      const storage = openStorage({
        url: route.url,
        onIdleError: () => undefined,
        silentAfterMs: 3_000,
      })
      context.after(async () => {
        await storage.close()
        await route.close()
        await database.drop()
      })
      const db: Kysely<unknown> = storage.tables<unknown>()
      const ask = () => sql`select 1`.execute(db)
      // As many as the pool has.
      await Promise.all(Array.from({ length: 9 }, ask))
      route.silence()
      const asked = await Promise.allSettled(Array.from({ length: 9 }, ask))
      for (const each of asked) {
        assert.ok(each.status === 'rejected')
        assert.equal(each.reason.kind, 'upstream')
      }
      await ask()
      // An idle connection is not a lost one.
      await storage.transaction(async (tx) => {
        await sql`select pg_sleep(1.7)`.execute(tx)
        await sql`select pg_sleep(1.7)`.execute(tx)
      })
    })

    test('a transaction that the server ended while this process slept rejects with `upstream`', async () => {
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
