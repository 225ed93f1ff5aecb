import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport, addUser } from '../../../../test/callers.ts'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { createLog } from '../../../kit/log.ts'
import type { DeliveryRow } from '../../delivery/table.ts'
import { createCountFolding } from './fold-changes.ts'
import { commonText } from './transport-rates.ts'

const noon = Date.parse('2026-03-01T12:00:30Z')
const hour = 'from=2026-03-01T12:00:00Z&to=2026-03-01T13:00:00Z'

test('the text of a fault has no addresses, at any length', () => {
  const letters = 'a'.repeat(16_000)
  const texts: [string, string][] = [
    ['refused x@a.test, <y@b.test> and "z"@c.test', 'refused …, … and "z"@c.test'],
    ['to:x@a.test;for<y@b.test>', 'to:…;for…'],
    ['x@a.test:25 y@b@c.test', '… …@c.test'],
    [letters, letters.slice(0, 500)],
    [`${letters}@a.test`, '…'],
    [`${letters} x@a.test`, letters.slice(0, 500)],
    [`${'a@'.repeat(8_000)}<${letters}`, '…@'.repeat(250)],
  ]
  for (const [text, common] of texts) assert.equal(commonText(text), common)
})

onEachDatabase('the rates of transports', { isOwn: true }, (shared) => {
  const add = async (
    transportId: number,
    rows: readonly Pick<DeliveryRow, 'outcome' | 'reply' | 'reason'>[],
    from = noon,
  ) => {
    const transport = transportId === 0 ? 'default' : 'Relay'
    const values = rows.map((row, index) => {
      return { ...row, started_at: from + index, transport_id: transportId, transport }
    })
    await logDeliveries(shared.service, values)
  }
  const ask = async (query: string, as = undefined as Parameters<typeof shared.service.ask>[3]) => {
    const path = `/api/deliveries/transports?${query}`
    return (await shared.askFor('GET', path, undefined, as)).transports
  }
  const accepted = { outcome: 'accepted' as const, reply: '250 ok', reason: null }
  const deferred = (id: number) => ({
    outcome: 'deferred' as const,
    reply: null,
    reason: `The server refused <user${id}@example.com> for now (451 4.7.1 try later, id 3Fa${id}00Z).`,
  })
  const refused = { outcome: 'refused' as const, reply: '550 5.7.1 no', reason: null }

  test('have those that fail first, and equal faults as one', async () => {
    const good = await addTransport(shared.service, {})
    const bad = await addTransport(shared.service, {})
    await add(good.id, [accepted, accepted, accepted, refused])
    await add(bad.id, [deferred(1), deferred(2), deferred(3), refused, accepted])
    await add(0, [accepted])
    const transports = await ask(hour)
    const lastDate = '2026-03-01T12:00:30+00:00'
    const text = 'The server refused … for now (451 4.7.1 try later, id …).'
    const counts = { accepted: 1, deferred: 3, refused: 1, uncertain: 0 }
    const refusal = { text: '550 5.7.1 no', outcome: 'refused', count: 1, lastDate }
    assert.deepEqual(transports[0], {
      id: bad.id,
      name: bad.name,
      attempted: 5,
      failing: { since: '2026-03-01T12:00:00+00:00', attempted: 5, failed: 4 },
      ...counts,
      faults: [{ text, outcome: 'deferred', count: 3, lastDate }, refusal],
    })
    assert.partialDeepStrictEqual(transports.slice(1), [
      { id: good.id, attempted: 4, refused: 1, faults: [refusal] },
      { id: null, name: 'default', attempted: 1, faults: [] },
    ])
    await createCountFolding(shared.service.app.storage, createLog('silent')).run()
    assert.deepEqual(await ask(hour), transports)
    assert.deepEqual(await ask(`${hour}&transport=${good.id},default`), transports.slice(1))
    assert.deepEqual(await ask('from=2026-03-01T12:02:00Z&to=2026-03-01T13:00:00Z'), [])
  })

  test('tell since when a transport fails: a busy one too, for a day back, and not after it recovered', async () => {
    const five = [deferred(1), deferred(2), deferred(3), refused, refused]
    const many = Array.from({ length: 60 }, () => accepted)
    type Attempts = [minute: number, attempts: typeof five | (typeof accepted)[]][]
    const cases: [name: string, attempts: Attempts, since: string | undefined][] = [
      [
        'busy',
        [
          [49, many],
          [50, five],
        ],
        '2026-03-01T12:50:00+00:00',
      ],
      [
        'long',
        [
          [-601, [accepted]],
          [-600, five],
          [-300, five],
          [30, five],
        ],
        '2026-03-01T02:00:00+00:00',
      ],
      ['single', [[0, [refused]]], '2026-03-01T12:00:00+00:00'],
      [
        'recovered',
        [
          [0, five],
          [10, [accepted]],
        ],
        undefined,
      ],
    ]
    for (const [name, attempts, since] of cases) {
      const { id } = await addTransport(shared.service, { name })
      for (const [minute, rows] of attempts) await add(id, rows, noon + minute * 60_000)
      const [rate] = await ask(`${hour}&transport=${id}`)
      assert.equal(rate.failing?.since, since, name)
    }
  })

  test('have faults for those alone who may see contacts', async () => {
    const { id } = await addTransport(shared.service, {})
    await add(id, [refused])
    const viewer = { multipleTransports: ['view'], email: ['view'] }
    const { as } = await addUser(shared.service, viewer)
    const [rate] = await ask(`${hour}&transport=${id}`, { as })
    assert.deepEqual([rate.refused, rate.faults], [1, []])
  })

  test('of more than six hours are those of whole hours, and of years are one sum', async () => {
    const { id } = await addTransport(shared.service, {})
    const yearMs = 365 * 86_400_000
    await add(id, [accepted])
    await add(id, [refused], noon - yearMs)
    const ranges: [string, string, string, string, number][] = [
      ['2026-03-01T06:30:10Z', '2026-03-01T12:30:10Z', '06:30', '12:31', 1],
      ['2026-03-01T05:59:10Z', '2026-03-01T12:00:10Z', '05:00', '13:00', 1],
      ['1970-01-01T00:00:00Z', '2026-03-01T12:00:10Z', '00:00', '13:00', 2],
      ['2024-01-01T00:20:00Z', '9999-12-31T22:10:00Z', '00:00', '23:00', 2],
    ]
    const check = async () => {
      for (const [from, to, first, last, attempted] of ranges) {
        const path = `/api/deliveries/transports?from=${from}&to=${to}&transport=${id}`
        const { body } = await shared.ask('GET', path)
        assert.deepEqual([body.from.slice(11, 16), body.to.slice(11, 16)], [first, last])
        assert.equal(body.transports[0]?.attempted, attempted, path)
        assert.equal(body.transports[0]?.refused, attempted - 1, path)
      }
    }
    await check()
    await createCountFolding(shared.service.app.storage, createLog('silent')).run()
    await check()
  })
})
