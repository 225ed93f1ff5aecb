import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDelivery } from '../../../test/new-delivery.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { DeliveryTables } from '../table.ts'
import { createBeginDeliveries } from './begin-deliveries.ts'

onEachDatabase('a beginning', (shared) => {
  test('is written down where its key is given up at that very moment, whatever it holds', async () => {
    const db = shared.yard.app.storage.tables<DeliveryTables>()
    const begin = createBeginDeliveries(db)
    const recipient = { address: 'ann@moment.test', messageKey: 'moment', bulkKey: null }
    const delivery = { ...newDelivery([recipient]), messageId: '<a\0b@c.test>' }
    const run = async (beforeEach: (count: number) => Promise<unknown>) => {
      const statements = begin([{ delivery, startedAt: 1_000, processId: 'test' }])
      let step = statements.next()
      for (let count = 0; step.done !== true; count += 1) {
        await beforeEach(count)
        step = statements.next((await db.executeQuery(step.value)).rows)
      }
      return step.value.flat()[0]
    }
    await run(async () => undefined)
    const giveUp = () => db.updateTable('deliveries').set({ message_key: null }).execute()
    const admission = await run(async (count) => (count === 1 ? giveUp() : undefined))
    assert.equal(admission?.state, 'begun')
    const query = db.selectFrom('deliveries').select('message_id')
    const rows = await query.where('message_key', '=', 'moment').execute()
    assert.deepEqual(rows, [{ message_id: '<ab@c.test>' }])
  })
})
