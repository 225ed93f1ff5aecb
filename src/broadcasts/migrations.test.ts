import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabases } from '../../test/databases.ts'
import { emptyDelivery } from '../delivery/log/delivery-row.ts'
import { createCountFolding } from '../delivery/stats/fold-changes.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import { createLog } from '../kit/log.ts'
import { keyringMigrations, migrate, openStorage } from '../storage/index.ts'
import { deliveryMigrations } from './migrations.ts'

/** The outcomes that were logged before there was `deferred`. */
const logged = [
  { outcome: 'accepted', is_permanent: false, isNow: 'accepted' },
  { outcome: 'refused', is_permanent: true, isNow: 'refused' },
  { outcome: 'refused', is_permanent: false, isNow: 'deferred' },
  { outcome: 'suppressed', is_permanent: true, isNow: 'suppressed' },
  { outcome: 'started', is_permanent: null, isNow: 'started' },
] as const

describe('the migrations of deliveries', () => {
  for (const { name, create } of testDatabases) {
    test(`defer what was refused for now, also in the counts, on ${name}`, async (context) => {
      const database = await create()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      context.after(async () => {
        await storage.close()
        await database.drop()
      })
      const until = (end: string) =>
        Object.fromEntries(Object.entries(deliveryMigrations).filter(([each]) => each < end))
      await migrate(storage, [keyringMigrations, until('20261126_15_deferred')])
      const db = storage.tables<DeliveryTables>()
      const startedAt = Date.UTC(2026, 10, 1)
      const { subject: _, ...row } = emptyDelivery({
        source: 'smtp',
        caller: 'a',
        startedAt,
        processId: 'p',
      })
      for (const { outcome, is_permanent, isNow } of logged) {
        const values = { ...row, outcome, recipient: isNow, is_permanent }
        await db.insertInto('deliveries').values(values).execute()
      }
      await migrate(storage, [keyringMigrations, until('20261126_16')])
      const rows = await db.selectFrom('deliveries').select(['outcome', 'recipient']).execute()
      assert.equal(rows.length, logged.length)
      for (const { outcome, recipient } of rows) assert.equal(outcome, recipient)
      await createCountFolding(storage, createLog('silent')).run()
      const counts = await sql<{ outcome: string; count: number }>`
        select outcome, count from delivery_counts
        where transport_id = ${noTransport} and span_ms = 60000 order by outcome`.execute(db)
      assert.deepEqual(
        counts.rows.map(({ outcome, count }) => [outcome, Number(count)]),
        ['accepted', 'deferred', 'refused', 'suppressed'].map((outcome) => [outcome, 1]),
      )
    })
  }
})
