import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Transaction } from 'kysely'
import { testDatabases } from '../../../test/databases.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { openTestStore } from '../../../test/queue/open-test-store.ts'
import { addQueued } from '../../../test/queue/test-queue.ts'
import { openTestStorage } from '../../../test/use-storage.ts'
import { createLog } from '../../kit/log.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import type { FailedRecipient } from '../mime/notifications/notification.ts'
import { Notices } from './notices.ts'
import type { QueueTables } from './table.ts'

const hourMs = 3_600_000
const clock = clockAt(() => time)
let time = 1_000_000_000_000

/** A notification whose envelope has the recipients that it is about. */
function notificationOf(recipients: readonly FailedRecipient[]) {
  const to = recipients.map(({ address }) => address).sort()
  return { envelope: { from: '', to }, raw: new Uint8Array() }
}

describe('the notices of a queued message', () => {
  for (const { name, createMigrated } of testDatabases) {
    test(`make one notification, whichever processes settle its recipients, on ${name}`, async (context) => {
      const { storage } = await openTestStorage(context, createMigrated)
      const db = storage.tables<QueueTables & DeliveryTables>()
      const sent: string[][] = []
      let composed = 0
      /** Whether the transaction that stores a notification fails. */
      let isDiskFull = false
      const openProcess = async (processId: string) => {
        await db.insertInto('delivery_processes').values({ id: processId, seen_at: time }).execute()
        const store = openTestStore(storage, processId)
        const notices = new Notices({
          storage,
          store,
          notifications: {
            compose: async ({ recipients }) => {
              composed += 1
              return notificationOf(recipients)
            },
          },
          submit: async ({ envelope }, claim) => {
            const isClaimed = await storage.transaction(async (tx: Transaction<DeliveryTables>) => {
              const claimed = (await claim?.(tx)) ?? true
              if (isDiskFull) throw new Error('The disk is full.')
              return claimed
            })
            if (isClaimed) sent.push([...envelope.to])
            return isClaimed
          },
          openBody: async () => new Uint8Array(),
          clock,
          log: createLog('silent'),
          onRemoved: () => undefined,
        })
        const claim = { transportId: noTransport, lane: 'bulk' as const, limit: 1 }
        return {
          notices,
          /** Settles the next recipient that is due. */
          async settle(hasFailed: boolean) {
            const [recipient] = await store.claim(claim, time)
            assert.ok(recipient)
            const failure = { address: recipient.address, reply: null }
            const notice = hasFailed ? failure : undefined
            await store.settle({ id: recipient.id, state: 'done', notice })
            await notices.finish(recipient.message_id, hasFailed)
          },
        }
      }
      const store = (recipient: readonly string[]) =>
        addQueued({ app: { storage } }, time, {
          recipient,
          expires_at: time + 72 * hourMs,
          lane: 'bulk',
        })
      const isStored = async () =>
        (await db.selectFrom('queue_messages').select('id').execute()).length > 0
      const notified = () => sent.splice(0)
      const [first, second] = [await openProcess('first'), await openProcess('second')]

      await store(['a', 'b', 'c'])
      await first.settle(true)
      await second.settle(true)
      assert.deepEqual(notified(), [], 'a recipient is left')
      await first.settle(false)
      assert.deepEqual(notified(), [['a', 'b']])
      assert.equal(await isStored(), false)

      // The process that has stored the notice was killed, and the last recipient is accepted elsewhere.
      await store(['a', 'b'])
      await first.settle(true)
      await second.settle(false)
      assert.equal(await isStored(), true)
      await Promise.all([second.notices.finishDue(), first.notices.finishDue()])
      assert.deepEqual(notified(), [['a']])
      assert.equal(await isStored(), false)

      // However long the others wait, there is one notification.
      await store(['a', 'b'])
      await first.settle(true)
      time += 48 * hourMs
      await second.notices.finishDue()
      assert.deepEqual(notified(), [])
      await second.settle(true)
      assert.deepEqual(notified(), [['a', 'b']])
      assert.equal(await isStored(), false)

      // The notification is stored with the transaction that deletes the notices, or neither is.
      await store(['a'])
      isDiskFull = true
      await first.settle(true)
      assert.deepEqual([notified(), await isStored()], [[], true])
      isDiskFull = false
      // However many ask at once, a process composes it once.
      composed = 0
      await Promise.all([first.notices.finishDue(), first.notices.finishDue()])
      assert.deepEqual([notified(), composed], [[['a']], 1])
      assert.equal(await isStored(), false)
    })
  }
})
