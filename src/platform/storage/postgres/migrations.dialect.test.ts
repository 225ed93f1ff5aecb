import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabases } from '../../../../test/databases.ts'
import { openTestStorage } from '../../../../test/use-storage.ts'
import { type Migrations, migrate } from '../migrate.ts'

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`a migration, on ${name}`, () => {
    test('takes as long as it needs, waits for a lock for a while, and leaves the limits of other statements', async (context) => {
      const { storage } = await openTestStorage(context, create, { silentAfterMs: 300 })
      const limits: unknown[] = []
      const slow: Migrations = {
        async '00.01.00_slow'(db) {
          // Longer than a connection may be silent.
          await sql`select pg_sleep(0.8)`.execute(db)
          limits.push(...(await readLimits(db)))
        },
      }
      assert.deepEqual((await migrate(storage, [slow])).names, ['00.01.00_slow'])
      assert.deepEqual(limits, [{ statement: '0', lock: '30s' }])
      assert.deepEqual(await readLimits(storage.tables()), [{ statement: '1min', lock: '20s' }])
    })

    test('that finds a table locked reports that, changes nothing, and may run again', async (context) => {
      const { storage } = await openTestStorage(context, create)
      await sql`create table locked (id bigint)`.execute(storage.tables())
      const widen: Migrations = {
        async '00.01.00_widen'(db) {
          await sql`set local lock_timeout = 100`.execute(db)
          await sql`alter table locked add column text text`.execute(db)
        },
      }
      await storage.transaction(async (tx) => {
        await sql`select * from locked`.execute(tx)
        await assert.rejects(migrate(storage, [widen]), /a lock was not free in time/)
      })
      assert.deepEqual((await migrate(storage, [widen])).names, ['00.01.00_widen'])
    })
  })
}

async function readLimits(db: Parameters<Migrations[string]>[0]): Promise<unknown[]> {
  const { rows } = await sql`select current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock`.execute(db)
  return rows
}
