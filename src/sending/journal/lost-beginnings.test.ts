import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { testDatabases } from '../../../test/databases.ts'
import { newDelivery } from '../../../test/new-delivery.ts'
import { openPostgresWay } from '../../../test/postgres-way.ts'
import { openTestApp } from '../../../test/test-app.ts'
import { openStorage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { type JournalOptions, openJournal } from './journal.ts'

const to = (address: string) =>
  newDelivery([{ address, messageKey: `key of ${address}`, bulkKey: null }])

// SQLite answers in the process itself.
for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`beginnings whose answer is lost, on ${name}`, () => {
    /** A journal whose way to the database may lose an answer. */
    const open = async (
      context: TestContext,
      { now, lost }: { now: () => number } & Required<Pick<JournalOptions, 'lost'>>,
    ) => {
      const database = await create()
      const yard = await openTestApp({ database })
      const way = await openPostgresWay(database.url)
      const storage = openStorage({ url: way.url, onIdleError: () => undefined })
      const journal = openJournal({ storage, clock: { now }, processId: 'lossy', lost })
      context.after(async () => {
        journal.close()
        await storage.close()
        await way.close()
        await yard.close()
        await database.drop()
      })
      return { storage, way, journal }
    }

    test('what was written down unbeknownst is given up, and may be sent; what is under way is not', async (context) => {
      const { storage, way, journal } = await open(context, {
        now: () => Date.now(),
        lost: { intervalMs: 20, forMs: 100 },
      })
      const { admissions } = await journal.begin(to('under-way@lost.test'))
      way.loseNextCommit()
      await assert.rejects(journal.begin(to('lost@lost.test')), /It was not sent; try again/)
      const deadline = Date.now() + 10_000
      let again = (await journal.begin(to('lost@lost.test'))).admissions
      assert.equal(again[0]?.state, 'known', 'it was written down')
      while (again[0]?.state === 'known' && Date.now() < deadline) {
        await setTimeout(20)
        again = (await journal.begin(to('lost@lost.test'))).admissions
      }
      assert.equal(again[0]?.state, 'begun')
      // Until it is not looked for any more.
      await setTimeout(300)
      const rows = await storage
        .tables<DeliveryTables>()
        .selectFrom('deliveries')
        .select(['id', 'recipient', 'outcome', 'reason'])
        .orderBy('id')
        .execute()
      assert.deepEqual(
        rows.map(({ recipient, outcome }) => [recipient, outcome]),
        [
          ['under-way@lost.test', 'started'],
          ['lost@lost.test', 'refused'],
          ['lost@lost.test', 'started'],
        ],
      )
      assert.match(rows[1]?.reason ?? '', /It was not sent/)
      assert.equal(admissions[0]?.state, 'begun')
    })

    test('what begins while it is looked is not taken for lost, whatever the clock says', async (context) => {
      const { storage, way, journal } = await open(context, {
        now: () => 1_000,
        lost: { intervalMs: 1, forMs: 60_000 },
      })
      await journal.begin(to('first@lost.test'))
      way.loseNextCommit()
      await assert.rejects(journal.begin(to('lost@lost.test')))
      // At any time, so that some wait for their commit when the look joins them.
      const begun: Promise<unknown>[] = []
      for (let index = 0; index < 400; index += 1) {
        begun.push(journal.begin(to(`${index}@lost.test`)))
        await setImmediate()
      }
      await Promise.all(begun)
      const refused = () =>
        storage
          .tables<DeliveryTables>()
          .selectFrom('deliveries')
          .select('recipient')
          .where('outcome', '=', 'refused')
          .execute()
      for (let wait = 0; (await refused()).length === 0 && wait < 200; wait += 1)
        await setTimeout(20)
      assert.deepEqual(await refused(), [{ recipient: 'lost@lost.test' }])
    })
  })
}
