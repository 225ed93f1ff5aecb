import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabases } from '../../../../test/databases.ts'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { clockAt, createMovableClock } from '../../../../test/movable-clock.ts'
import { newDelivery } from '../../../../test/new-delivery.ts'
import { runMaintenance } from '../../../../test/run-maintenance.ts'
import { openTestApp, type TestApp } from '../../../../test/test-app.ts'
import { createLog } from '../../../kit/log.ts'
import { createPartitions, ensurePartitions } from '../../../platform/storage/index.ts'
import { createCountFolding } from '../../deliveries/stats/fold-changes.ts'
import { ensureDeliveryPartitions } from '../maintenance.ts'
import { type DeliveryTables, deliveriesByMonth } from '../table.ts'
import { openDeliveryLog } from './delivery-log.ts'
import { resultOf } from './simulated-process.case.test.ts'

const dayMs = 86_400_000
const log = createLog('silent')
const march = (day: number) => Date.UTC(2024, 2, day)

const partitionsOf = async ({ app }: TestApp, table = 'deliveries') => {
  const { rows } = await sql<{ name: string }>`select inhrelid::regclass::text as name
    from pg_inherits where inhparent = ${table}::regclass order by 1`.execute(app.storage.tables())
  return rows.map(({ name }) => name)
}

const addAt = async (service: TestApp, times: readonly number[]) => {
  const accepted = {
    outcome: 'accepted' as const,
    recipient: 'ann@month.test',
    recipient_key: 'ann@month.test',
  }
  for (const started_at of times) {
    const [id = 0] = await logDeliveries(service, [{ ...accepted, started_at }])
    const key = { key: `key ${id}`, kind: 'request' as const, delivery_id: id, started_at }
    const db = service.app.storage.tables<DeliveryTables>()
    await db.insertInto('delivery_keys').values(key).execute()
  }
}

const partitionOf = async ({ app }: TestApp, startedAt: number) => {
  const { rows } = await sql<{ name: string }>`select tableoid::regclass::text as name
    from deliveries where started_at = ${startedAt}`.execute(app.storage.tables())
  return rows.map(({ name }) => name)
}

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL'))
  describe(`partitions of the delivery log, on ${name}`, () => {
    const withApp = async (run: (service: TestApp) => Promise<void>) => {
      const database = await create()
      const service = await openTestApp({ database })
      try {
        await run(service)
      } finally {
        await service.close()
        await database.drop()
      }
    }

    test('there is one for this month and the next two, also if several processes create them', () =>
      withApp(async (service) => {
        const { storage } = service.app
        await Promise.all(
          Array.from({ length: 5 }, () => ensurePartitions(storage, deliveriesByMonth, march(31))),
        )
        const found = await partitionsOf(service)
        const ofMarch = found.filter((each) => each.includes('2024'))
        assert.deepEqual(ofMarch, [
          'deliveries_2024_03',
          'deliveries_2024_04',
          'deliveries_2024_05',
        ])
        assert.equal(found.length, ofMarch.length + 4, 'those of today, and the default')
        for (const time of [march(1), march(32) - 1]) await addAt(service, [time])
        assert.deepEqual(await partitionOf(service, march(1)), ['deliveries_2024_03'])
        assert.deepEqual(await partitionOf(service, march(32) - 1), ['deliveries_2024_03'])
      }))

    test('a delivery of a month without one is stored, and moves when the month gets one', () =>
      withApp(async (service) => {
        await addAt(service, [march(15)])
        assert.deepEqual(await partitionOf(service, march(15)), ['deliveries_default'])
        await createPartitions(service.app.storage, deliveriesByMonth, {
          from: march(1),
          to: march(2),
        })
        assert.deepEqual(await partitionOf(service, march(15)), ['deliveries_2024_03'])
        const { body } = await service.ask('GET', '/api/deliveries?recipient=ann@month.test')
        assert.equal(body.deliveries.length, 1)
        const one = await service.ask('GET', `/api/deliveries/${body.deliveries[0].id}`)
        assert.equal(one.body.delivery.recipient, 'ann@month.test')
      }))

    test('retention drops whole months and deletes the rest by rows, with their keys and counts', () =>
      withApp(async (service) => {
        const { storage } = service.app
        const clock = createMovableClock()
        clock.advance(march(20) - Date.now())
        await createPartitions(storage, deliveriesByMonth, {
          from: Date.UTC(2023, 10),
          to: march(1),
        })
        const old = [Date.UTC(2023, 10, 5), Date.UTC(2023, 11, 30), Date.UTC(2024, 0, 1)]
        const kept = [Date.UTC(2024, 1, 25), march(1), march(19)]
        await addAt(service, [...old, Date.UTC(2024, 1, 10), ...kept])
        const folding = createCountFolding(storage, log)
        await folding.run()
        await runMaintenance(storage, clock, 30 * dayMs)
        const left = await partitionsOf(service)
        const older = left.filter((each) => each < 'deliveries_2024_03')
        assert.deepEqual(older, ['deliveries_2024_02'])
        const db = storage.tables<DeliveryTables>()
        for (const table of ['deliveries', 'delivery_keys'] as const) {
          const rows = await db.selectFrom(table).select('started_at').execute()
          assert.deepEqual(rows.map((row) => row.started_at).sort(), kept)
        }
        await folding.run()
        await folding.stop()
        const { rows } = await sql<{ total: number }>`select sum(count) as total
          from delivery_counts where transport_id = -2 and span_ms = 60000`.execute(db)
        assert.equal(Number(rows[0]?.total), kept.length)
      }))

    test('events have one also for a delivery of 30 days ago, on the first of March', () =>
      withApp(async (service) => {
        await ensureDeliveryPartitions(service.app.storage, Date.UTC(2023, 2, 1))
        const found = await partitionsOf(service, 'delivery_events')
        const months = found.filter((each) => each.includes('2023')).map((each) => each.slice(-2))
        assert.deepEqual(months, ['01', '02', '03'])
      }))

    test('attempts that start in two months are finished by one statement', () =>
      withApp(async (service) => {
        const { storage } = service.app
        let now = march(31)
        await createPartitions(storage, deliveriesByMonth, { from: now, to: march(32) })
        const parts = { storage, log, processId: 'tests', clock: clockAt(() => now) }
        const deliveryLog = openDeliveryLog(parts)
        const start = async (address: string) => {
          const delivery = newDelivery([{ address, messageKey: address, bulkKey: null }])
          return (await deliveryLog.start(delivery)).results[0]
        }
        const first = await start('march@month.test')
        now = march(32)
        const second = await start('april@month.test')
        assert.ok(first?.state === 'started' && second?.state === 'started')
        assert.equal((await start('march@month.test'))?.state, 'duplicate')
        await deliveryLog.finish([first, second], resultOf('accepted'))
        const db = storage.tables<DeliveryTables>()
        const query = db.selectFrom('deliveries').select('outcome')
        const rows = await query.where('process_id', '=', 'tests').execute()
        assert.deepEqual(rows, [{ outcome: 'accepted' }, { outcome: 'accepted' }])
      }))
  })
