import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { testDatabases } from '../../../../test/databases.ts'
import { useStorage } from '../../../../test/use-storage.ts'
import type { Storage } from '../storage.ts'

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`the index of search texts on ${name}`, () => {
    let storage: Storage

    useStorage(create, async (opened) => {
      storage = opened.storage
    })

    const createBoxes = async (tx: Transaction<unknown>) => {
      await sql`create table boxes (id integer primary key, search_text text)`.execute(tx)
      await storage.createSearchIndex(tx, 'boxes')
    }
    const hasIndex = async () => {
      const { rows } = await sql`
        select 1 from pg_indexes where indexname = 'boxes_search_text'`.execute(storage.tables())
      return rows.length === 1
    }

    test('needs an extension: a user who may not install it gets a table without the index', async () => {
      await storage.transaction(createBoxes)
      assert.equal(await hasIndex(), true)
      await sql`drop table boxes`.execute(storage.tables())
      await sql`drop extension pg_trgm`.execute(storage.tables())
      await storage.transaction(async (tx: Transaction<unknown>) => {
        const role = sql.ref(`limited_${process.pid}`)
        await sql`create role ${role}`.execute(tx)
        await sql`grant create on schema public to ${role}`.execute(tx)
        await sql`set local role ${role}`.execute(tx)
        await createBoxes(tx)
        await sql`reset role`.execute(tx)
        await sql`alter table boxes owner to current_user`.execute(tx)
        await sql`drop owned by ${role}`.execute(tx)
        await sql`drop role ${role}`.execute(tx)
      })
      assert.equal(await hasIndex(), false)
    })
  })
}
