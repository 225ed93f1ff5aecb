import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defaultIntervals } from '../../src/core/delivery/intervals.ts'
import { Processes } from '../../src/core/delivery/log/processes.ts'
import { createLog } from '../../src/kit/log.ts'
import { openStorage, type Storage } from '../../src/platform/storage/index.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { type MailCatcher, startMailCatcher } from '../mail-catcher.ts'
import { clockAt } from '../movable-clock.ts'
import { runMaintenance } from '../run-maintenance.ts'
import { openDialogue } from '../smtp-dialogue.ts'
import { openRelay, type TestRelay } from './open-relay.ts'

const minuteMs = 60_000
const log = createLog('silent')

for (const { name, createMigrated } of testDatabases) {
  describe(`a message without a Message-ID, and a process that is killed, on ${name}`, () => {
    let catcher: MailCatcher
    let database: TestDatabase
    let relay: TestRelay
    before(async () => {
      catcher = await startMailCatcher()
      database = await createMigrated()
      relay = await openRelay({ dsn: catcher.dsn, databaseUrl: database.url })
      await relay.start()
    })
    after(async () => {
      await relay.close()
      await catcher.stop()
      await database.drop()
    })

    const hand = async (to: string) => {
      const client = await openDialogue(relay.smtpPort)
      await client.say('EHLO client.test')
      await client.logIn(relay.login.username, relay.login.password)
      const raw = 'From: cron@example.com\r\nSubject: disk full\r\n\r\nIt is full.\r\n'
      const answer = await client.hand({ to: [to], raw })
      client.destroy()
      return answer
    }
    const sentTo = (address: string) =>
      catcher.mails.filter(({ to }) => to.includes(address)).length
    const onDatabase = async (work: (storage: Storage) => Promise<void>) => {
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      await work(storage).finally(() => storage.close())
    }
    /** What the processes do that are there so many minutes later. */
    const tidyAfter = (minutes: number) =>
      onDatabase(async (storage) => {
        await runMaintenance(
          storage,
          clockAt(() => Date.now() + minutes * minuteMs),
        )
      })
    const restart = async (between: () => Promise<void>) => {
      await relay.kill()
      await between()
      await relay.start()
    }

    test('is a retry for some minutes, then a new message, also if the process was killed', async () => {
      const to = 'root@killed.test'
      assert.match(await hand(to), /^250 2\.0\.0 Accepted/)
      // The reply is written; what it leaves behind is written down by the time that another is answered.
      for (let time = 0; time < 3; time += 1) await relay.ask('/api/deliveries')
      await restart(() => tidyAfter(4))
      assert.match(await hand(to), /^250 .*Already delivered/)
      await restart(() => tidyAfter(6))
      assert.match(await hand(to), /^250 2\.0\.0 Accepted/)
      assert.equal(sentTo(to), 2)
    })

    test('is not lost if the process was killed before it wrote the acknowledgement', async () => {
      const to = 'root@crashed.test'
      assert.match(await hand(to), /^250 2\.0\.0 Accepted/)
      await restart(() =>
        onDatabase(async (storage) => {
          await storage
            .tables<{ delivery_keys: { acknowledged_at: number | null } }>()
            .updateTable('delivery_keys')
            .set({ acknowledged_at: null })
            .execute()
          await tidyAfter(6)
          // Another process expires it.
          let aheadMs = 0
          const now = async () => Date.now() + aheadMs
          const parts = {
            storage: { ...storage, now },
            log,
            processId: 'finder',
            intervals: defaultIntervals,
          }
          const finder = new Processes({ ...parts, onExpired: async () => undefined })
          for (; aheadMs < 40_000; aheadMs += 2_000) await finder.heartbeat()
          await finder.stop()
          await tidyAfter(6)
        }),
      )
      assert.match(await hand(to), /^250 2\.0\.0 Accepted/)
      assert.equal(sentTo(to), 2)
    })
  })
}
