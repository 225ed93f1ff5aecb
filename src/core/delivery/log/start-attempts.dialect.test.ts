import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { newDelivery } from '../../../../test/new-delivery.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import type { DeliveryTables } from '../table.ts'
import { createStartAttempts } from './start-attempts.ts'

onEachDatabase('a started attempt', (shared) => {
  test('is logged if its key is released at the same moment', async () => {
    const { storage } = shared.service.app
    const db = storage.tables<DeliveryTables>()
    const start = createStartAttempts({ storage, processId: 'test' })
    /** Runs it with other work between its queries. */
    const run = async (afterEach: (count: number) => Promise<unknown>) => {
      let count = 0
      const watched = db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          count += 1
          await afterEach(count)
          return result
        },
      })
      const attempt = { delivery, startedAt: 1_000, processId: 'test' }
      const results = await start(watched as unknown as Transaction<DeliveryTables>, [attempt])
      return results.flat()[0]
    }
    const recipient = { address: 'ann@moment.test', messageKey: 'moment', bulkKey: null }
    const delivery = { ...newDelivery([recipient]), messageId: '<a\0b@c.test>' }
    await run(async () => undefined)
    const releaseKey = () => db.deleteFrom('delivery_keys').where('key', '=', 'moment').execute()
    const result = await run(async (count) => (count === 2 ? releaseKey() : undefined))
    assert.ok(result?.state === 'started')
    const query = db.selectFrom('deliveries').select(['id', 'message_id'])
    const rows = await query.where('recipient', '=', recipient.address).orderBy('id').execute()
    assert.deepEqual(rows.at(-1), { id: result.id, message_id: '<ab@c.test>' })
    assert.equal(rows.length, 2)
    const keys = db.selectFrom('delivery_keys').select('delivery_id').where('key', '=', 'moment')
    assert.deepEqual(await keys.execute(), [{ delivery_id: result.id }])
  })
})
