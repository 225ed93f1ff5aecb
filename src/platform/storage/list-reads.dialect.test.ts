import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { type TestDatabase, testDatabases } from '../../../test/databases.ts'
import { openStorage, type Storage } from './storage.ts'

for (const { name, create } of testDatabases) {
  describe(`reads of lists on ${name}`, () => {
    let database: TestDatabase
    let storage: Storage

    // Longer than any of these statements takes on a busy machine.
    const open = (listTimeMs = 60_000) =>
      openStorage({ url: database.url, onIdleError: () => undefined, listTimeMs })
    before(async () => {
      database = await create()
      storage = open()
      await storage.describe()
    })
    after(async () => {
      await storage.close()
      await database.drop()
    })

    /** Counts numbers one by one: the statement scans as many rows. */
    const countTo = async (max: number, owner = 'ann', from = storage) => {
      const { db, isInTime } = from.lists(owner)
      const { rows } = await sql<{ count: number }>`
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(max)})
        select count(*) as count from numbers where ${isInTime}`.execute(db)
      return rows[0]?.count
    }

    test('a statement that scans many rows lets the event loop turn', async () => {
      let turns = 0
      let isDone = false
      const watch = (async () => {
        while (!isDone) {
          await setImmediate()
          turns += 1
        }
      })()
      const count = await countTo(200_000).finally(() => {
        isDone = true
      })
      await watch
      assert.equal(count, 200_000)
      assert.ok(turns > 20, `${turns} turns`)
    })

    test('a statement whose time is over is stopped, and the next one works', async () => {
      const hurried = open(100)
      const tooSlow = countTo(1_000_000_000, 'ann', hurried)
      await assert.rejects(tooSlow, { kind: 'invalid', code: 'list_too_slow' })
      assert.equal(await countTo(3, 'ann', hurried), 3)
      await hurried.close()
    })

    test('above twenty slow statements of one owner more are refused, and those of others are not', async () => {
      const slow = Array.from({ length: 40 }, () => countTo(60_000, 'bob'))
      const settled = Promise.allSettled(slow)
      assert.equal(await countTo(60_000, 'carla'), 60_000)
      const refused = (await settled).filter(({ status }) => status === 'rejected')
      assert.ok(refused.length >= 10 && refused.length <= 20, `${refused.length} refused`)
      for (const { reason } of refused as PromiseRejectedResult[])
        assert.equal(reason.kind, 'rate_limited')
    })

    test('a list that has begun is read to its end, however many others wait', async () => {
      const { db, isInTime } = storage.lists('dora')
      const read = () =>
        sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 60000)
          select count(*) from numbers where ${isInTime}`.execute(db)
      await read()
      await Promise.all(Array.from({ length: 25 }, read))
    })

    test('a text is found whatever characters it has', async () => {
      const lists = storage.lists('ann')
      for (const part of ['100%', 'a_b', 'c\\d', "it's", 'ü'])
        for (const [text, expected] of [
          [`x ${part} y`, true],
          ['100 axb cd its u', false],
        ] as const) {
          const found =
            await sql`select 1 where ${lists.contains(sql`${sql.lit(text)}`, part)}`.execute(
              lists.db,
            )
          assert.equal(found.rows.length === 1, expected, `${part} in ${text}`)
        }
    })
  })
}
