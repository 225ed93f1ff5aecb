import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { testDatabases } from '../../../../test/databases.ts'
import { clockAt } from '../../../../test/movable-clock.ts'
import { newDelivery } from '../../../../test/new-delivery.ts'
import { openPostgresProxy } from '../../../../test/postgres-proxy.ts'
import { openTestApp } from '../../../../test/test-app.ts'
import { createLog } from '../../../kit/log.ts'
import { openStorage } from '../../../platform/storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { openDeliveryLog } from './delivery-log.ts'
import { startLock } from './start-attempts.ts'

const to = (address: string) =>
  newDelivery([{ address, messageKey: `key of ${address}`, bulkKey: null }])
const processId = 'lossy'

// SQLite runs in the process: no answer is lost.
for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`starts whose answer is lost, on ${name}`, () => {
    /** A delivery log whose connection to the database may lose an answer. */
    const open = async (context: TestContext, now = () => Date.now()) => {
      const database = await create()
      // Its worker does not claim what goes back to the queue.
      const service = await openTestApp({ database, isStarted: false })
      const route = await openPostgresProxy(database.url)
      const storage = openStorage({ url: route.url, onIdleError: () => undefined })
      const deliveryLog = openDeliveryLog({
        storage,
        clock: clockAt(now),
        processId,
        log: createLog('silent'),
      })
      context.after(async () => {
        deliveryLog.close()
        await storage.close()
        await route.close()
        await service.close()
        await database.drop()
      })
      const outcomes = async () => {
        const query = storage.tables<DeliveryTables>().selectFrom('deliveries').selectAll()
        const rows = await query.orderBy('id').execute()
        return rows.map(({ recipient, outcome }) => [recipient.split('@')[0], outcome])
      }
      const loseStart = async () => {
        route.loseNextCommit()
        await assert.rejects(
          deliveryLog.start(to('lost@lost.test')),
          /The message was not sent; try again/,
        )
      }
      const startAgain = async () =>
        (await deliveryLog.start(to('lost@lost.test'))).results[0]?.state
      return { service, storage, deliveryLog, outcomes, loseStart, startAgain }
    }

    test('an orphaned attempt is refused at once, and its message may be sent; an attempt in flight is not', async (context) => {
      const { deliveryLog, outcomes, loseStart, startAgain } = await open(context)
      await deliveryLog.start(to('under-way@lost.test'))
      await loseStart()
      // The refusal is already waiting, so it is written before this start.
      assert.equal(await startAgain(), 'started')
      assert.deepEqual(await outcomes(), [
        ['under-way', 'started'],
        ['lost', 'deferred'],
        ['lost', 'started'],
      ])
    })

    test('an orphaned attempt waits until its transaction has ended', async (context) => {
      const { service, deliveryLog, outcomes, loseStart, startAgain } = await open(context)
      const { storage } = service.app
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const lock = Promise.withResolvers<void>()
      // A transaction of the process that the database still runs, although its connection is lost.
      const running = storage.transaction(async (tx) => {
        await sql`select ${storage.sharedLock(startLock(processId))}`.execute(tx)
        lock.resolve()
        await ended
      })
      await lock.promise
      await loseStart()
      assert.equal(await startAgain(), 'duplicate')
      end()
      await running
      await deliveryLog.drain(10_000)
      assert.equal(await startAgain(), 'started')
      assert.deepEqual(await outcomes(), [
        ['lost', 'deferred'],
        ['lost', 'started'],
      ])
    })

    test('no attempt is orphaned any more when a process that stops has waited for its outcomes', async (context) => {
      const { deliveryLog, outcomes, loseStart } = await open(context)
      await loseStart()
      await deliveryLog.drain(10_000)
      assert.deepEqual(await outcomes(), [['lost', 'deferred']])
    })

    test('other starts are not refused, even if the clock stands still', async (context) => {
      const { deliveryLog, outcomes, loseStart } = await open(context, () => 1_000)
      await deliveryLog.start(to('first@lost.test'))
      const starts: Promise<boolean>[] = []
      const lost = loseStart()
      // At any time, so that some wait for their commit when the orphans are refused.
      for (let index = 0; index < 400; index += 1) {
        const start = deliveryLog.start(to(`${index}@lost.test`))
        starts.push(
          start.then(
            () => true,
            () => false,
          ),
        )
        await setImmediate()
      }
      await lost
      const isStarted = await Promise.all(starts)
      await deliveryLog.drain(10_000)
      const refused = (await outcomes()).filter(([, outcome]) => outcome === 'deferred')
      // Those whose commit was lost with it.
      const failed = isStarted.filter((each) => !each).length + 1
      assert.equal(refused.length, failed)
    })
  })
}
