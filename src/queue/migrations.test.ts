import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../../test/databases.ts'
import { defaultTransport, noTransport } from '../delivery/table.ts'
import { migrate, openStorage } from '../storage/index.ts'
import { queueMigrations } from './migrations.ts'

type Tables = { queue_recipients: Record<string, unknown> }

describe('the migrations of the queue', () => {
  for (const { name, create } of testDatabases) {
    test(`keep the transport of each recipient, on ${name}`, async (context) => {
      const database = await create()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      context.after(async () => {
        await storage.close()
        await database.drop()
      })
      const { '20261124_76_queue_transports': swap, ...earlier } = queueMigrations
      assert.ok(swap)
      await migrate(storage, [earlier])
      const db = storage.tables<Tables>()
      const earlierIds = { none: 0, default: -1, seven: 7 }
      for (const [address, transport_id] of Object.entries(earlierIds))
        await db
          .insertInto('queue_recipients')
          .values({
            message_id: 1,
            address,
            address_key: address,
            state: 'queued',
            lane: 'bulk',
            transport_id,
            due_at: 1,
            created_at: 1,
            attempts: 0,
            message_key: address,
          })
          .execute()
      await migrate(storage, [queueMigrations])
      const recipients = await db
        .selectFrom('queue_recipients')
        .select(['address', 'transport_id'])
        .execute()
      const idOf = new Map(recipients.map((row) => [row.address, row.transport_id]))
      assert.equal(idOf.get('none'), noTransport)
      assert.equal(idOf.get('default'), defaultTransport)
      assert.equal(idOf.get('seven'), 7)
    })
  }
})
