import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CompiledQuery, type Kysely, sql } from 'kysely'
import { type TestDatabase, testDatabases } from '../../../../test/databases.ts'
import { openPostgresProxy, type PostgresProxy } from '../../../../test/postgres-proxy.ts'
import { openStorage, type Storage } from '../storage.ts'

interface Tables {
  boxes: { id: number; name: string }
}

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`look-ups on ${name}`, () => {
    let database: TestDatabase
    let route: PostgresProxy
    let storage: Storage
    let db: Kysely<Tables>
    let byId: CompiledQuery

    before(async () => {
      database = await create()
      route = await openPostgresProxy(database.url)
      storage = openStorage({ url: route.url, onIdleError: () => undefined, silentAfterMs: 500 })
      db = storage.tables<Tables>()
      await sql`create table boxes (id bigint primary key, name text)`.execute(db)
      await sql`insert into boxes select n, 'box ' || n from generate_series(1, 50) n`.execute(db)
      byId = db.selectFrom('boxes').selectAll().where('id', '=', 0).compile()
    })
    after(async () => {
      await storage.close()
      await route.close()
      await database.drop()
    })

    const find = (id: number) =>
      storage.first<Tables['boxes']>({ ...byId, parameters: [id] }) as Promise<
        Tables['boxes'] | undefined
      >

    test('concurrent look-ups each get their own row', async () => {
      const ids = Array.from({ length: 200 }, (_, index) => (index % 60) + 1)
      const rows = await Promise.all(ids.map(find))
      const names = rows.map((row) => row?.name)
      assert.deepEqual(
        names,
        ids.map((id) => (id > 50 ? undefined : `box ${id}`)),
      )
    })

    test('a look-up sees what was committed before it', async () => {
      for (let round = 0; round < 20; round += 1) {
        void find(1)
        await sql`update boxes set name = ${`round ${round}`} where id = 1`.execute(db)
        assert.equal((await find(1))?.name, `round ${round}`)
      }
    })

    test('one that fails does not fail the others', async () => {
      const wrong = { ...byId, parameters: ['no number'] }
      const [failed, ...found] = await Promise.allSettled([storage.first(wrong), find(2), find(3)])
      assert.equal(failed.status, 'rejected')
      const shown = found.map((each) => each.status === 'fulfilled' && each.value?.name)
      assert.deepEqual(shown, ['box 2', 'box 3'])
    })

    test('goes on after a table was altered', async () => {
      await find(2)
      await sql`alter table boxes add column size bigint default 7`.execute(db)
      const [one, other] = await Promise.all([find(2), find(3)])
      assert.deepEqual(one, { id: 2, name: 'box 2', size: 7 })
      assert.deepEqual(other, { id: 3, name: 'box 3', size: 7 })
    })

    test('those that wait for a silent server reject with `upstream`, and the next gets a connection', async () => {
      await find(4)
      route.silence()
      const waiting = await Promise.allSettled([find(4), find(5)])
      for (const each of waiting) {
        assert.ok(each.status === 'rejected')
        assert.equal(each.reason.kind, 'upstream')
      }
      assert.equal((await find(4))?.name, 'box 4')
    })
  })
}
