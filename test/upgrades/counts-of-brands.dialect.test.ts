import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCountFolding } from '../../src/core/deliveries/index.ts'
import type { DeliveryTables } from '../../src/core/delivery/index.ts'
import { createLog } from '../../src/kit/log.ts'
import type { TestBody } from '../test-app.ts'
import { dumpedAt, onDump } from './load-dump.ts'

/** The Mautic has a transport of its own, so it becomes a brand; some of the logged messages came from it. */
const owned = `
  update transports set mautic_id = 1 where id = 2;
  update deliveries set mautic_id = 1 where outcome <> 'started' and id > 1;`

onDump('counts of an earlier version', { changes: owned, isStarted: false }, (service) => {
  const read = async (query: string): Promise<Map<string, number>> => {
    const range = `from=${new Date(dumpedAt - 30 * 86_400_000).toISOString()}`
    const path = `/api/deliveries/stats?${range}&to=2027-01-01T00:00:00Z&step=1d&${query}`
    const { body, text } = await service().ask('GET', path)
    assert.ok(body.series, text)
    return new Map(body.series.map(({ key, total }: TestBody) => [key, total]))
  }

  test('have what each brand has sent, and go back to nothing with its deliveries', async () => {
    const { storage } = service().app
    const db = storage.tables<DeliveryTables>()
    const rows = await db.selectFrom('deliveries').select(['brand_id', 'outcome']).execute()
    const counted = rows.filter(({ outcome }) => outcome !== 'started')
    const ofBrand = counted.filter(({ brand_id: brand }) => brand === 1)
    assert.ok(ofBrand.length > 1 && ofBrand.length < counted.length)
    const byBrand = await read('by=brand')
    assert.equal(byBrand.get('1'), ofBrand.length)
    assert.equal(byBrand.get('none'), counted.length - ofBrand.length)
    await db.deleteFrom('deliveries').where('brand_id', '=', 1).execute()
    const folding = createCountFolding(storage, createLog('silent'))
    await folding.run()
    await folding.stop()
    assert.equal((await read('by=brand')).get('1'), 0)
    const left = await db.selectFrom('delivery_counts').selectAll().execute()
    assert.deepEqual(
      left.filter(({ count, brand_id: brand }) => brand !== 0 || count < 0),
      [],
    )
  })
})
