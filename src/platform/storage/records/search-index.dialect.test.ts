import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { testDatabases } from '../../../../test/databases.ts'
import { useStorage } from '../../../../test/use-storage.ts'
import type { Storage } from '../storage.ts'
import { searchAlsoIn } from './record-table.ts'

for (const { name, create } of testDatabases) {
  describe(`the index of search texts on ${name}`, () => {
    let storage: Storage

    useStorage(create, async (opened) => {
      storage = opened.storage
    })

    const createBoxes = async (tx: Transaction<unknown>) => {
      await sql`create table boxes (id integer primary key, search_text text, sender text)`.execute(
        tx,
      )
      await storage.createSearchIndex(tx, 'boxes')
    }
    const hasIndex = async () => {
      const { rows } = await sql`
        select 1 from pg_indexes where indexname = 'boxes_search_text'`.execute(storage.tables())
      return rows.length === 1
    }

    test('a search looks into one more column, up to 1,000 characters in all', async () => {
      await storage.transaction(async (tx: Transaction<unknown>) => {
        await createBoxes(tx)
        const long = 'a'.repeat(1_000)
        await sql`insert into boxes
          values (1, 'news', 'Ann@A.test'), (2, 'news', null), (3, ${long}, 'b@b.test')`.execute(tx)
        await searchAlsoIn(tx, 'boxes', 'sender')
        const texts = await sql`select search_text from boxes order by id`.execute(tx)
        const expected = ['news ann@a.test', 'news', long]
        assert.deepEqual(
          texts.rows,
          expected.map((search_text) => ({ search_text })),
        )
      })
      if (!storage.runsInProcess) assert.equal(await hasIndex(), true)
      await sql`drop table boxes`.execute(storage.tables())
    })

    if (name === 'SQLite') return

    test('a user who may not install the extension gets a table without the index', async () => {
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
