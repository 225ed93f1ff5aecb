import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import type { QueueTables } from '../queue/table.ts'
import type { BroadcastTables } from './table.ts'

onEachDatabase(
  'the producer of broadcasts',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)
    const db = () => shared.service.app.storage.tables<BroadcastTables & QueueTables>()

    test('resumes recipients that a resume did not see, also after a broadcast with an unexpected error', async () => {
      const emailId = await fixture.email(await fixture.transport('null://null'))
      const [first, second] = [await fixture.segment(1), await fixture.segment(2)]
      const damaged = await fixture.send(emailId, { segment: first.segment })
      const id = await fixture.send(emailId, { segment: second.segment })
      await db()
        .updateTable('broadcasts')
        .set({ is_prepared: false, segment: null, contact_ids: 'damaged' })
        .where('id', '=', damaged)
        .execute()
      // Their attempts ended while the broadcast was resumed.
      await db()
        .updateTable('queue_recipients')
        .set({ state: 'paused' })
        .where('broadcast_id', '=', id)
        .execute()
      await shared.service.app.start()
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.refused], [2, 0])
      assert.equal((await fixture.get(damaged)).state, 'running')
      assert.ok(shared.service.logged.some((line) => line.includes('broadcast failed')))
    })
  },
  { intervals: quickIntervals, isStarted: false },
)
