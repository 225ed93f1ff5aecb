import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../../test/databases.ts'
import { openTestStore } from '../../test/queue/open-test-store.ts'
import { addQueued } from '../../test/queue/test-queue.ts'
import { openTestStorage } from '../../test/use-storage.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import type { Settlement } from './queue-store.ts'
import type { QueueTables } from './table.ts'

const now = 1_000_000_000_000

describe('the expiry of a recipient', () => {
  for (const { name, createMigrated } of testDatabases)
    test(`is logged once, by the process that has its claim, on ${name}`, async (context) => {
      const { storage } = await openTestStorage(context, createMigrated)
      const db = storage.tables<QueueTables & DeliveryTables>()
      const recipient = 'b@recipient.test'
      await addQueued({ app: { storage } }, now, { id: 1, recipient, lane: 'bulk' })
      const openProcess = async (processId: string) => {
        await db.insertInto('delivery_processes').values({ id: processId, seen_at: now }).execute()
        return openTestStore(storage, processId)
      }
      const [slow, other] = [await openProcess('slow'), await openProcess('other')]
      const due = { transportId: noTransport, lane: 'bulk' as const, limit: 1 }
      const [claimed] = await slow.claim(due, now)
      assert.ok(claimed)
      await db.updateTable('queue_recipients').set({ state: 'queued', claimed_by: null }).execute()
      assert.equal((await other.claim(due, now)).length, 1)

      const reason = 'The message was not delivered in time.'
      const [queued] = await slow.findMessages([claimed.message_id])
      assert.ok(queued)
      const { message } = queued
      const outcome = { outcome: 'expired' as const, message, address: claimed.address, reason }
      const expiry: Settlement = { id: claimed.id, state: 'done', expired: { outcome, at: now } }
      const logged = () => db.selectFrom('deliveries').select(['outcome', 'recipient']).execute()
      await slow.settle(expiry)
      assert.deepEqual(await logged(), [])
      await other.settle(expiry)
      await other.settle(expiry)
      assert.deepEqual(await logged(), [{ outcome: 'expired', recipient }])
    })
})
