import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createTestQueue } from '../../../test/queue/test-queue.ts'
import type { DeliveryTables } from '../delivery/table.ts'
import { recoverQueued } from './recover-recipients.ts'
import type { QueueTables } from './table.ts'

onEachDatabase('a queued recipient whose process expired', { isStarted: false }, (shared) => {
  const queue = createTestQueue(shared)

  test('is sent again, unless an attempt was accepted or its outcome is uncertain', async () => {
    const { storage } = shared.service.app
    const db = storage.tables<QueueTables & DeliveryTables>()
    for (const recipient of ['new@a.test', 'accepted@a.test', 'uncertain@a.test'])
      await queue.add({ recipient, state: 'claimed' })
    await db.updateTable('queue_recipients').set({ claimed_by: 'expired' }).execute()
    const accepted = await queue.addUncertainDelivery('accepted@a.test')
    await queue.addUncertainDelivery('uncertain@a.test')
    const deliveries = db.updateTable('deliveries').set({ outcome: 'accepted' })
    await deliveries.where('id', '=', accepted).execute()
    const now = shared.clock.now()
    await storage.transaction((tx: Transaction<DeliveryTables>) =>
      recoverQueued(tx, { storage, processIds: ['expired'], now }),
    )
    const left = db.selectFrom('queue_recipients').select(['address', 'state']).orderBy('id')
    assert.deepEqual(await left.execute(), [
      { address: 'new@a.test', state: 'queued' },
      { address: 'uncertain@a.test', state: 'uncertain' },
    ])
  })
})
