import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { addTransport, addUser } from '../../../../test/callers.ts'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { clockAt } from '../../../../test/movable-clock.ts'
import { newDelivery } from '../../../../test/new-delivery.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { runMaintenance } from '../../../../test/run-maintenance.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import { createLog } from '../../../kit/log.ts'
import { openDeliveryLog } from '../../delivery/log/delivery-log.ts'
import { resultOf } from '../../delivery/log/simulated-process.case.test.ts'
import { countedOutcomes } from '../../delivery/outcomes.ts'
import {
  type DeliveryRow,
  type DeliveryTables,
  defaultTransport,
  isTransport,
  noTransport,
} from '../../delivery/table.ts'
import { createCountFolding } from './fold-changes.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const dayMs = 86_400_000
const rowCount = 600
const log = createLog('silent')
const outcomes = ['accepted', 'refused', 'uncertain', 'started'] as const

/** Every 50 seconds, so that hours and minutes have different numbers. */
function rowOf(index: number): Partial<DeliveryRow> {
  const transports = [
    { transport_id: noTransport, transport: null },
    { transport_id: defaultTransport, transport: 'default' },
    { transport_id: 3, transport: 'removed' },
    { transport_id: 900, transport: 'also removed' },
  ]
  return {
    ...transports[index % 4],
    source: index % 3 === 2 ? 'smtp' : 'api',
    started_at: noon + index * 50_000,
    outcome: outcomes[index % 7] ?? 'accepted',
    recipient: 'a@b.test',
  }
}

onEachDatabase('the statistics of deliveries', { isOwn: true }, (shared) => {
  const db = () => shared.service.app.storage.tables<DeliveryTables>()
  const fold = () => createCountFolding(shared.service.app.storage, log).run()
  before(async () => {
    const rows = Array.from({ length: rowCount }, (_, index) => rowOf(index))
    await logDeliveries(shared.service, rows.slice(0, 300))
    await fold()
    await logDeliveries(shared.service, rows.slice(300))
  })

  const ask = (query: string): Promise<TestBody> =>
    shared.askFor('GET', `/api/deliveries/stats?${query}`)
  const allTime = 'from=2026-03-01T00:00:00Z&to=2026-03-04T00:00:00Z'
  /** The number of deliveries by step and key, counted one by one. */
  const countRows = async (
    { from, to, step }: { from: string; to: string; step: number },
    keyOf: (row: DeliveryRow) => string,
  ) => {
    const counts = new Map<string, number>()
    for (const row of await db().selectFrom('deliveries').selectAll().execute()) {
      if (row.outcome === 'started') continue
      if (row.started_at < Date.parse(from) || row.started_at >= Date.parse(to)) continue
      const key = `${row.started_at - (row.started_at % step)} ${keyOf(row)}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return new Map([...counts].sort())
  }
  const pointsOf = ({ times, series }: TestBody) => {
    const points = series.flatMap(({ key, counts }: TestBody) =>
      counts.map((count: number, index: number) => [`${Date.parse(times[index])} ${key}`, count]),
    )
    return new Map(points.filter(([, count]: [string, number]) => count !== 0).sort())
  }
  const keyOfTransport = ({ transport_id: id, transport }: DeliveryRow) =>
    isTransport(id) ? String(id) : (transport ?? 'none')

  const cases: [query: string, keyOf: (row: DeliveryRow) => string][] = [
    ['by=outcome', (row) => row.outcome],
    ['by=source', (row) => row.source],
    ['by=transport', keyOfTransport],
    ['by=transport&transport=900,none,default,3', keyOfTransport],
  ]
  for (const state of ['before', 'after'])
    for (const [query, keyOf] of cases)
      test(`${query} counts what is listed, ${state} all changes are folded`, async () => {
        if (state === 'after') await fold()
        const ranges = [
          ['2026-03-01T12:00:00Z', '2026-03-01T20:00:00Z', '1m', 60_000],
          ['2026-03-01T13:05:00Z', '2026-03-01T21:00:00Z', '5m', 300_000],
          ['2026-03-01T13:00:00Z', '2026-03-02T01:00:00Z', '1h', 3_600_000],
          ['2026-02-01T00:00:00Z', '2026-03-04T00:00:00Z', '6h', 21_600_000],
          ['2026-02-01T00:00:00Z', '2026-03-04T00:00:00Z', '1d', dayMs],
        ] as const
        for (const [from, to, step, stepMs] of ranges) {
          const found = await ask(`${query}&from=${from}&to=${to}&step=${step}`)
          assert.deepEqual(pointsOf(found), await countRows({ from, to, step: stepMs }, keyOf))
          assert.equal(found.times.length, (Date.parse(to) - Date.parse(from)) / stepMs)
        }
      })

  test('a series has its total, and each outcome and source has one', async () => {
    const byOutcome = await ask(`${allTime}&transport=900`)
    const keys = byOutcome.series.map(({ key }: TestBody) => key)
    assert.deepEqual(keys, countedOutcomes)
    const totals = byOutcome.series.map(({ total }: TestBody) => total)
    const sum = totals.reduce((all: number, total: number) => all + total, 0)
    assert.equal(byOutcome.total, sum)
    for (const { counts, total } of byOutcome.series)
      assert.equal(
        counts.reduce((all: number, count: number) => all + count, 0),
        total,
      )
    const { series } = await ask('by=source&from=2020-01-01&to=2020-01-02')
    const keyTotals = series.map(({ key, total }: TestBody) => `${key} ${total}`)
    assert.deepEqual(keyTotals, ['api 0', 'smtp 0'])
  })

  test('transports have their ids and names, the busiest first; listed ones keep their order', async () => {
    const transport = await addTransport(shared.service, { name: 'idle' })
    const listed = await ask(`${allTime}&by=transport&transport=${transport.id},none,900,default`)
    const names = listed.series.map(({ key, id, name }: TestBody) => [key, id, name])
    assert.deepEqual(names, [
      [String(transport.id), transport.id, 'idle'],
      ['none', null, null],
      ['900', 900, 'also removed'],
      ['default', null, 'default'],
    ])
    const found = await ask(`${allTime}&by=transport&outcome=refused,uncertain`)
    const totals = found.series.map(({ total }: TestBody) => total)
    const busiestFirst = totals.toSorted((one: number, other: number) => other - one)
    assert.deepEqual(totals, busiestFirst)
    assert.equal(totals.length, 4)
  })

  test('the step makes at most 200 points by default, and the range is extended to whole steps', async () => {
    const ranges = [
      ['2026-03-01T11:00:30Z', '2026-03-01T12:00:30Z', '1m', 61],
      ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', '15m', 96],
      ['2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z', '1h', 168],
      ['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', '1d', 59],
    ] as const
    for (const [from, to, step, points] of ranges) {
      const found = await ask(`from=${from}&to=${to}`)
      assert.deepEqual([found.step, found.times.length], [step, points])
      assert.ok(
        Date.parse(found.from) <= Date.parse(from) && Date.parse(found.to) >= Date.parse(to),
      )
    }
  })

  test('an answer that would be too large is refused with advice', async () => {
    const refuse = async (query: string) => {
      const { status, body } = await shared.ask('GET', `/api/deliveries/stats?${query}`)
      assert.equal(status, 400, query)
      return body
    }
    assert.match((await refuse('from=2026-03-01&to=2026-03-08&step=1m')).error, /use 15m/)
    await refuse('from=2000-01-01&to=2026-01-01')
    await refuse('from=2026-03-01&to=2026-03-01')
    await refuse('outcome=started')
    const { details } = await refuse('by=moon&step=2m&outcome=lost&transport=x')
    assert.deepEqual(Object.keys(details).sort(), ['by', 'outcome', 'step', 'transport'])
    const ids = Array.from({ length: 101 }, (_, id) => id + 1).join(',')
    await refuse(`transport=${ids}`)
    const old = noon - 30 * dayMs
    const rows = Array.from({ length: 101 }, (_, index) => ({
      ...rowOf(0),
      started_at: old,
      transport_id: index + 1,
    }))
    await logDeliveries(shared.service, rows)
    const around = `from=${new Date(old).toISOString()}&to=${new Date(old + 60_000).toISOString()}`
    await refuse(`${around}&by=transport`)
    assert.equal((await ask(`${around}&by=outcome`)).total, 101)
    await db().deleteFrom('deliveries').where('started_at', '=', old).execute()
  })

  const totals = async () => {
    const { series } = await ask(`${allTime}&by=outcome&transport=default`)
    return Object.fromEntries(series.map(({ key, total }: TestBody) => [key, total]))
  }

  test('a delivery counts once it has an outcome, and with the one that it has', async () => {
    const earlier = await totals()
    const clock = clockAt(noon + dayMs)
    const { storage } = shared.service.app
    const deliveryLog = openDeliveryLog({
      ...{ storage, clock, processId: 'counting' },
      log: createLog('silent'),
    })
    const addresses = ['a@c.test', 'b@c.test', 'c@c.test']
    const delivery = newDelivery(
      addresses.map((address) => ({ address, messageKey: address, bulkKey: null })),
    )
    const { results } = await deliveryLog.start(delivery)
    assert.deepEqual(await totals(), earlier)
    const attempts = results.filter((each) => each.state === 'started')
    await deliveryLog.finish(attempts.slice(0, 1), resultOf('accepted'))
    await deliveryLog.finish(attempts.slice(1), resultOf('uncertain'))
    deliveryLog.close()
    const assertMore = async (accepted: number, uncertain: number) => {
      const more = {
        accepted: earlier.accepted + accepted,
        uncertain: earlier.uncertain + uncertain,
      }
      assert.deepEqual(await totals(), { ...earlier, ...more })
    }
    await assertMore(1, 2)
    const path = `/api/deliveries/${attempts[2]?.id}/settle`
    await shared.ask('POST', path, { outcome: 'accepted' })
    await fold()
    await assertMore(2, 1)
  })

  test('what is rolled back is not counted', async () => {
    const earlier = await totals()
    const { storage } = shared.service.app
    await storage.transaction(
      async (tx: Transaction<DeliveryTables>) => {
        await tx.updateTable('deliveries').set({ outcome: 'refused' }).execute()
      },
      { keeps: () => false },
    )
    assert.deepEqual(await totals(), earlier)
  })

  test('several processes fold the same changes at the same time', async () => {
    const earlier = await totals()
    const row = { ...rowOf(1), outcome: 'accepted' as const }
    const writes = Array.from({ length: 20 }, async () => {
      await logDeliveries(shared.service, [row, row])
      await fold()
    })
    await Promise.all([...writes, fold(), fold(), fold()])
    await fold()
    assert.deepEqual(await totals(), { ...earlier, accepted: earlier.accepted + 40 })
    const left = await db().selectFrom('delivery_count_changes').select('id').execute()
    assert.deepEqual(left, [])
  })

  test('deliveries that are removed after their time are not counted, and leave no counts', async () => {
    const clock = clockAt(noon + 400 * dayMs)
    const { storage } = shared.service.app
    await runMaintenance(storage, clock, dayMs)
    assert.equal((await ask(allTime)).total, 0)
    await fold()
    assert.equal((await ask(allTime)).total, 0)
    const { rows } = await sql`select * from delivery_counts`.execute(db())
    assert.deepEqual(rows, [])
  })

  test('counting needs email:view, and by transport multipleTransports:view', async () => {
    const path = '/api/deliveries/stats'
    const statusFor = async (rights: Record<string, string[]>, query: string) => {
      const { as } = await addUser(shared.service, rights)
      return (await shared.ask('GET', `${path}?${query}`, undefined, { as })).status
    }
    assert.equal(await statusFor({ contact: ['full'] }, ''), 403)
    assert.equal(await statusFor({ email: ['view'] }, 'by=source'), 200)
    assert.equal(await statusFor({ email: ['view'] }, 'by=transport'), 403)
    assert.equal(await statusFor({ email: ['view'] }, 'transport=3'), 403)
    const both = { email: ['view'], multipleTransports: ['view'] }
    assert.equal(await statusFor(both, 'by=transport&transport=3'), 200)
  })
})
