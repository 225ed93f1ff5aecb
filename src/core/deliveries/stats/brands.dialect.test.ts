import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { useBrandUsers } from '../../../../test/brand-callers.ts'
import { addEmail, addTransport, uniqueName } from '../../../../test/callers.ts'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { addBrand } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import { createLog } from '../../../kit/log.ts'
import type { DeliveryRow, DeliveryTables } from '../../delivery/table.ts'
import { createCountFolding } from './fold-changes.ts'

const january = Date.parse('2026-01-10T12:00:00Z')
const dayMs = 86_400_000
const quarter = 'from=2026-01-01T00:00:00Z&to=2026-03-31T00:00:00Z'
const outcomes = ['accepted', 'refused', 'deferred'] as const

onEachDatabase('the statistics of brands', { isOwn: true }, (shared) => {
  const as = useBrandUsers(shared)
  let [shop, lab, transport, hidden] = [0, 0, 0, 0]
  const rowOf = (index: number): Partial<DeliveryRow> => ({
    started_at: january + index * dayMs,
    brand_id: [0, shop, lab, shop][index % 4] ?? 0,
    transport_id: index % 4 === 2 ? hidden : transport,
    transport: 'Relay',
    outcome: outcomes[index % 3] ?? 'accepted',
    reply: index % 4 === 2 ? '550 secret of another brand' : '550 no',
    recipient: 'a@b.test',
  })
  const rows = () => Array.from({ length: 60 }, (_, index) => rowOf(index))
  const fold = () => createCountFolding(shared.service.app.storage, createLog('silent')).run()
  before(async () => {
    shop = await addBrand(shared.service)
    lab = await addBrand(shared.service)
    transport = (await addTransport(shared.service)).id
    hidden = (await addTransport(shared.service, { brand: lab })).id
    await logDeliveries(shared.service, rows().slice(0, 30))
    await fold()
    await logDeliveries(shared.service, rows().slice(30))
  })

  const ask = async (query: string, ...brands: number[]): Promise<TestBody> => {
    const path = `/api/deliveries/${query}`
    const { status, body, text } = await shared.ask('GET', path, undefined, await as(...brands))
    assert.equal(status, 200, text)
    return body
  }
  const totals = ({ series }: TestBody) =>
    Object.fromEntries(series.map(({ key, total }: TestBody) => [key, total]))
  const countOf = (...brands: number[]) =>
    rows().filter(({ brand_id: brand = 0 }) => brands.includes(brand)).length

  for (const state of ['before', 'after'])
    test(`count only what is of the caller's brands, ${state} all changes are folded`, async () => {
      if (state === 'after') await fold()
      const total = async (query: string, ...brands: number[]) =>
        (await ask(`stats?${quarter}&${query}`, ...brands)).total
      assert.equal((await shared.askFor('GET', `/api/deliveries/stats?${quarter}`)).total, 60)
      for (const by of ['outcome', 'source', 'transport', 'brand']) {
        assert.equal(await total(`by=${by}`, shop), countOf(shop), by)
        assert.equal(await total(`by=${by}`, shop, lab), countOf(shop, lab), by)
        assert.equal(await total(`by=${by}`), 0, by)
        assert.equal(await total(`by=${by}&brand=${lab}`, shop), 0, by)
        assert.equal(await total(`by=${by}&brand=${lab}&transport=${hidden}`, lab), 15, by)
      }
      const [series] = (await ask(`stats?${quarter}&by=transport&transport=${hidden}`, shop)).series
      assert.deepEqual([series.total, series.name], [0, null])
    })

  test('have one series for each brand, and for callers of all brands one for none', async () => {
    const all = await shared.askFor('GET', `/api/deliveries/stats?${quarter}&by=brand`)
    const { [shop]: ofShop, [lab]: ofLab, none } = totals(all)
    assert.deepEqual([ofShop, ofLab, none], [30, 15, 15])
    const own = await ask(`stats?${quarter}&by=brand`, shop)
    assert.deepEqual(totals(own), { [shop]: 30 })
    assert.match(own.series[0].name, /^Brand/)
    const refused = await shared.ask('GET', `/api/deliveries/stats?brand=0`)
    assert.equal(refused.status, 400)
  })

  test('add up by month, also as CSV, as a budget is paid', async () => {
    const query = `${quarter}&by=brand&step=month`
    const { times, series, step } = await ask(`stats?${query}`, shop)
    assert.equal(step, 'month')
    const months = ['2026-01-01', '2026-02-01', '2026-03-01']
    assert.deepEqual(
      times.map((time: string) => time.slice(0, 10)),
      months,
    )
    const expected = months.map(
      (month) =>
        rows().filter(
          ({ started_at: at = 0, brand_id: brand }) =>
            brand === shop && new Date(at).toISOString().startsWith(month.slice(0, 7)),
        ).length,
    )
    assert.deepEqual(series[0].counts, expected)
    const path = `/api/deliveries/stats.csv?${query}`
    const { text } = await shared.ask('GET', path, undefined, await as(shop))
    const [head, ...lines] = text.trim().split('\r\n')
    assert.equal(head, 'date,key,name,deliveries')
    assert.deepEqual(
      lines.map((line) => Number(line.split(',').at(-1))),
      expected,
    )
  })

  test('go down where a delivery is removed or settled, for its brand and for all', async () => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const later = { started_at: Date.parse('2026-05-01T12:00:00Z'), brand_id: shop }
    const [id = 0] = await logDeliveries(shared.service, [{ ...later, outcome: 'uncertain' }])
    await fold()
    const counts = async () => {
      const range = 'stats?from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00Z'
      const both = [await shared.askFor('GET', `/api/deliveries/${range}`), await ask(range, shop)]
      return both.map((each) => [totals(each).uncertain, totals(each).accepted])
    }
    assert.deepEqual(await counts(), [
      [1, 0],
      [1, 0],
    ])
    await shared.askFor('POST', `/api/deliveries/${id}/settle`, { outcome: 'accepted' })
    assert.deepEqual(await counts(), [
      [0, 1],
      [0, 1],
    ])
    await db.deleteFrom('deliveries').where('id', '=', id).execute()
    await fold()
    assert.deepEqual(await counts(), [
      [0, 0],
      [0, 0],
    ])
    const kept = db.selectFrom('delivery_counts').select('count').where('count', '<', 0)
    assert.deepEqual(await kept.execute(), [])
  })

  test("of a shared transport name the attempts and faults of the caller's messages only", async () => {
    const range = 'transports?from=2026-01-01T00:00:00Z&to=2026-03-31T00:00:00Z'
    const rates = await ask(range, shop)
    assert.deepEqual(
      rates.transports.map(({ id, attempted }: TestBody) => [id, attempted]),
      [[transport, 30]],
    )
    assert.ok(rates.transports[0].faults.length > 0)
    assert.doesNotMatch(JSON.stringify(rates), /secret/)
    assert.equal((await ask(`${range}&brand=${lab}`, lab)).transports[0].attempted, 15)
    const all = await shared.askFor('GET', `/api/deliveries/${range}`)
    assert.equal(all.transports.length, 2)
  })

  test('of an email that brands share have only what was sent for the own ones', async () => {
    const { id: email_id } = await addEmail(shared.service, { name: uniqueName('email') })
    const sent = { email_id, started_at: Date.now() - 60_000, outcome: 'accepted' as const }
    await logDeliveries(shared.service, [{ ...sent, brand_id: shop }])
    await logDeliveries(shared.service, [{ ...sent, brand_id: lab, started_at: Date.now() }])
    const usageOf = async (options: object) => {
      const path = `/api/emails?with=usage&search=ids:${email_id}`
      const { body, text } = await shared.ask('GET', path, undefined, options)
      const [email] = Object.values<TestBody>(body.emails)
      assert.ok(email, text)
      return email.usage
    }
    assert.deepEqual((await usageOf({})).outcomes, { accepted: 2 })
    const path = `/api/multipleTransport/transportEmail/${email_id}`
    await shared.askFor('POST', path, { transportId: hidden })
    assert.equal((await usageOf({})).transport.id, hidden)
    const own = await usageOf(await as(shop))
    assert.deepEqual([own.outcomes, own.transport], [{ accepted: 1 }, null])
    assert.ok(Date.parse(own.lastSent) < Date.now() - 30_000)
    assert.deepEqual((await usageOf(await as())).lastSent, null)
  })
})
