import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { DeliveryTables } from '../table.ts'
import { emptyDelivery } from './empty-delivery.ts'
import { openToldMessages } from './told-messages.ts'

const minuteMs = 60_000

onEachDatabase('messages whose senders were told', (shared) => {
  test('are let go of some minutes later, where they were accepted, and others never', async () => {
    const { storage } = shared.yard.app
    const db = storage.tables<DeliveryTables>()
    const by = { source: 'smtp', caller: 'a', startedAt: 0, processId: 'told' } as const
    const keys = Array.from({ length: 1_200 }, (_, index) => `told ${index}`)
    const rows = ['nobody was told', 'told 5 uncertain', 'told 1199 late', ...keys].map((key) => ({
      ...emptyDelivery(by),
      message_key: key,
      bulk_key: key === 'told 7' ? 'bulk of 7' : null,
      outcome: key.endsWith('uncertain') ? ('uncertain' as const) : ('accepted' as const),
    }))
    for (let from = 0; from < rows.length; from += 300)
      await db
        .insertInto('deliveries')
        .values(rows.slice(from, from + 300))
        .execute()
    const known = async () => {
      const query = db.selectFrom('deliveries').select('message_key')
      const found = await query.where('process_id', '=', 'told').execute()
      return found.flatMap((row) => row.message_key ?? []).sort()
    }
    let now = 0
    const told = openToldMessages(storage, { now: () => now })
    told.note([...keys, 'told 5 uncertain'])
    now = 4 * minuteMs
    // It was handed in again, and its sender told again.
    told.note(['told 3'])
    told.note(['told 1199 late'])
    await told.forget()
    assert.equal((await known()).length, rows.length)
    now = 5 * minuteMs
    await told.forget()
    assert.deepEqual(await known(), ['nobody was told', 'told 1199 late', 'told 5 uncertain'])
    const bulk = db.selectFrom('deliveries').select('id').where('bulk_key', '=', 'bulk of 7')
    assert.equal((await bulk.execute()).length, 1)
    await told.forgetAll()
    assert.deepEqual(await known(), ['nobody was told', 'told 5 uncertain'])
  })
})
