import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { testDatabases } from '../../../../test/databases.ts'
import { openTestStorage } from '../../../../test/use-storage.ts'

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`the connections for lists, on ${name}`, () => {
    test('lists that wait for the database leave the connections of changes, look-ups and health checks alone', async (context) => {
      const { storage } = await openTestStorage(context, create)
      const lock = (tx: Transaction<unknown>) => sql`select pg_advisory_xact_lock(1)`.execute(tx)
      const held = Promise.withResolvers<void>()
      const isLocked = Promise.withResolvers<void>()
      const holder = storage.transaction(async (tx: Transaction<unknown>) => {
        await lock(tx)
        isLocked.resolve()
        await held.promise
      })
      await isLocked.promise
      const lists = Array.from({ length: 20 }, (_, index) =>
        sql`select pg_advisory_xact_lock(1)`.execute(storage.lists(`caller ${index}`).db),
      )
      await storage.ping()
      await storage.transaction(async (tx: Transaction<unknown>) => sql`select 1`.execute(tx))
      assert.deepEqual(await storage.first({ ...sql`select 1 as one`.compile(storage.tables()) }), {
        one: 1,
      })
      const waiting = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
        where datname = current_database() and query like 'select pg_advisory_xact_lock%' and state = 'active'`.execute(
        storage.tables(),
      )
      assert.ok((waiting.rows[0]?.count ?? 0) <= 4)
      held.resolve()
      await holder
      await Promise.all(lists)
    })
  })
}
