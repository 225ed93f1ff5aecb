import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTransport, addUser } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { runMaintenance } from '../../../test/run-maintenance.ts'
import type { TestBody } from '../../../test/test-app.ts'
import { emptyDelivery } from '../delivery/log/delivery-row.ts'
import type { DeliveryRow, DeliveryTables } from '../delivery/table.ts'

const dayMs = 86_400_000
const noon = Date.parse('2026-03-01T12:00:00Z')
const rowCount = 300

/** Row 0 is the oldest. Each filter selects other rows. */
function rowOf(index: number): Omit<DeliveryRow, 'id'> {
  const source = index % 3 === 2 ? 'smtp' : 'api'
  // Pairs have the same time, so that the order by id matters.
  const startedAt = noon + Math.floor(index / 2) * 1_000
  const recipient = `Reader${index % 11}@Example.com`
  return {
    ...emptyDelivery({ source, caller: 'Admin', startedAt, processId: 'gone' }),
    email_id: index % 4,
    contact_id: index % 5,
    transport_id: index % 7,
    transport: `t${index % 7}`,
    member: `smtp://mail${index % 3}.example.com:25`,
    class: index % 4 === 1 ? ('rate' as const) : null,
    outcome: (['accepted', 'refused', 'uncertain', 'accepted'] as const)[index % 4] ?? 'accepted',
    sender: 'news@brand.test',
    recipient,
    recipient_key: recipient.toLowerCase(),
    reply: index % 10 === 0 ? '250 2.0.0 Ok: 100% queued_as' : '250 fein für ÜBER',
    message_id: `<m${index}@brand.test>`,
    subject: index % 2 === 0 ? `Your order ${index}` : null,
  }
}

onEachDatabase('the list of deliveries', { isOwn: true }, (shared) => {
  const rows = Array.from({ length: rowCount }, (_, index) => rowOf(index))
  before(async () => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    // Inserted in another order than they started, as outcomes that are written later are.
    for (const index of rows.keys()) {
      const row = rows[index ^ 1]
      if (row !== undefined) await db.insertInto('deliveries').values(row).execute()
    }
  })

  const ask = (query: string) => shared.askFor('GET', `/api/deliveries?${query}`)
  /** All pages of a list; each starts after the end of the last. */
  const readAll = async (query: string, limit: number) => {
    const found: TestBody[] = []
    let next: number | null = null
    do {
      const page = await ask(`${query}&limit=${limit}${next === null ? '' : `&next=${next}`}`)
      assert.ok(page.deliveries.length <= limit)
      found.push(...page.deliveries)
      next = page.next
    } while (next !== null)
    return found
  }
  const messageIds = (found: TestBody[]) => found.map(({ messageId }) => messageId).sort()
  const expected = (holds: (row: Omit<DeliveryRow, 'id'>) => boolean) =>
    rows
      .filter(holds)
      .map((row) => row.message_id)
      .sort()

  const filters: [query: string, holds: (row: Omit<DeliveryRow, 'id'>) => boolean][] = [
    ['', () => true],
    ['emailId=3', (row) => row.email_id === 3],
    ['contactId=2', (row) => row.contact_id === 2],
    ['transportId=6', (row) => row.transport_id === 6],
    ['transport=%20T5', (row) => row.transport === 't5'],
    ['transport=t5&source=smtp', (row) => row.transport === 't5' && row.source === 'smtp'],
    ['recipient=READER7@example.COM', (row) => row.recipient_key === 'reader7@example.com'],
    ['recipient=reader1*', (row) => row.recipient_key.startsWith('reader1')],
    ['recipient=reader_*', () => false],
    ['recipient=*%25*', () => false],
    ['sender=*@brand.test&emailId=2', (row) => row.email_id === 2],
    ['recipient=ader1', (row) => row.recipient_key.includes('ader1')],
    ['recipient=reader1@', (row) => row.recipient_key.startsWith('reader1@')],
    ['recipient=reader1@example.c', () => false],
    ['sender=brand.test&emailId=2', (row) => row.email_id === 2],
    ['subject=ORDER%202', (row) => row.subject?.includes('order 2') === true],
    ['subject=order_', () => false],
    ['search=order%20122', (row) => row.subject === 'Your order 122'],
    ['messageId=%3Cm29@brand.test%3E', (row) => row.message_id === '<m29@brand.test>'],
    ['messageId=m2', () => false],
    ['outcome=refused,uncertain', (row) => row.outcome !== 'accepted'],
    [
      'outcome=uncertain,refused&source=smtp&emailId=1',
      (row) => row.outcome !== 'accepted' && row.source === 'smtp' && row.email_id === 1,
    ],
    ['outcome=refused', (row) => row.outcome === 'refused'],
    ['outcome=started', () => false],
    ['class=authentication,rate&emailId=2', (row) => row.class === 'rate' && row.email_id === 2],
    ['source=smtp', (row) => row.source === 'smtp'],
    ['member=smtp://mail1.example.com:25', (row) => row.member?.includes('mail1') === true],
    ['from=2026-03-01T12:01:00Z', (row) => row.started_at >= noon + 60_000],
    ['to=2026-03-01T12:01:00Z', (row) => row.started_at <= noon + 60_000],
    ['to=2026-03-01T13:01:00%2B01:00', (row) => row.started_at <= noon + 60_000],
    ['search=100%25', (row) => row.reply?.includes('100%') === true],
    ['search=QUEUED_as', (row) => row.reply?.includes('queued_as') === true],
    ['search=%C3%9CBER', (row) => row.reply?.includes('ÜBER') === true],
    ['search=m29', (row) => row.message_id?.includes('m29') === true],
    ['search=100_', () => false],
    [
      'contactId=1&transportId=3&to=2026-03-01T12:02:00Z',
      (row) => row.contact_id === 1 && row.transport_id === 3 && row.started_at <= noon + 120_000,
    ],
    [
      'emailId=2&search=reader1',
      (row) => row.email_id === 2 && row.recipient_key.includes('reader1'),
    ],
  ]
  for (const [query, holds] of filters)
    test(`"${query}" finds the matching deliveries, the newest first, page by page`, async () => {
      const found = await readAll(query, 7)
      assert.deepEqual(messageIds(found), expected(holds))
      const places = found.map(({ date, id }) => [Date.parse(date), id] as const)
      const sorted = places.toSorted((one, other) => other[0] - one[0] || other[1] - one[1])
      assert.deepEqual(places, sorted)
    })

  test('pages may be skipped with start, up to a limit', async () => {
    const all = await readAll('emailId=3', 1_000)
    const page = await ask('emailId=3&start=20&limit=10&total=1')
    assert.deepEqual(
      page.deliveries.map(({ id }: TestBody) => id),
      all.slice(20, 30).map(({ id }) => id),
    )
    assert.equal(page.total, all.length)
    assert.equal(page.next, all[29]?.id)
    for (const query of ['emailId=3', 'emailId=3&total=0', 'emailId=3&total=']) {
      assert.equal('total' in (await ask(query)), false)
    }
  })

  test('invalid parameters are refused with all faults', async () => {
    const query =
      'limit=x&emailId=-1&contactId=1.5&from=soon&to=foo%205&outcome=maybe&source=fax&start=10001&total=many&recipient=a&recipient=b'
    const { status, body } = await shared.ask('GET', `/api/deliveries?${query}`)
    assert.equal(status, 400)
    const faulty = 'contactId emailId from limit outcome recipient source start to total'
    assert.deepEqual(Object.keys(body.details).sort(), faulty.split(' '))
    assert.equal((await ask('search=&emailId=')).deliveries.length, 30)
    assert.deepEqual((await ask('search=%27%22%5C%3B--')).deliveries, [])
    const nul = await shared.ask('GET', '/api/deliveries?search=%00')
    assert.equal(nul.status, 400)
  })

  test('finding nothing says how a part of an address is found, and that no transport has the name', async () => {
    const warningsOf = async (query: string) => (await ask(query)).warnings
    const both = await warningsOf('recipient=reader1@example.c&sender=a@b.test')
    assert.equal(both.length, 2)
    for (const query of ['recipient=reader1@example.com', 'recipient=nothing', 'transport=default'])
      assert.equal(await warningsOf(query), undefined, query)
    await addTransport(shared.service, { name: 'Company relay' })
    const [unknown] = await warningsOf('transport=company')
    assert.match(unknown, /Did you mean "Company relay"/)
    assert.equal(await warningsOf('transport=company%20RELAY'), undefined)
  })

  test('a name that several transports have is refused with their ids', async () => {
    const twins = [
      await addTransport(shared.service, { name: 'Twin' }),
      await addTransport(shared.service, { name: ' tWIN' }),
    ]
    const { status, body } = await shared.ask('GET', '/api/deliveries?transport=twin')
    assert.equal(status, 400)
    for (const { id } of twins) assert.match(body.error, new RegExp(`\\b${id}\\b`))
  })

  test('viewing needs email:view, settling email:send', async () => {
    const stranger = await addUser(shared.service, { contact: ['full'] })
    const viewer = await addUser(shared.service, { email: ['view'] })
    const as = (caller: typeof viewer) => ({ as: caller.as })
    const { service } = shared
    assert.equal((await service.ask('GET', '/api/deliveries', undefined, as(stranger))).status, 403)
    const seen = await service.askFor('GET', '/api/deliveries?limit=1', undefined, as(viewer))
    const path = `/api/deliveries/${seen.deliveries[0].id}/settle`
    const settle = await service.ask('POST', path, { outcome: 'accepted' }, as(viewer))
    assert.equal(settle.status, 403)
  })

  test('only deliveries older than the limit are removed, in batches', async () => {
    const { storage } = shared.service.app
    const old = { ...rowOf(0), started_at: noon - 40 * dayMs, message_id: '<old@brand.test>' }
    await logDeliveries(
      shared.service,
      Array.from({ length: 600 }, () => old),
    )
    const clock = clockAt(noon + dayMs)
    await runMaintenance(storage, clock, 30 * dayMs)
    assert.equal((await readAll('', 1_000)).length, rowCount)
    assert.deepEqual((await ask('search=old@brand')).deliveries, [])
  })

  test('a message is recognized for a day, or while it is uncertain; a request by its Idempotency-Key as long as it is listed', async () => {
    const { storage } = shared.service.app
    const db = storage.tables<DeliveryTables>()
    const started_at = noon - 2 * dayMs
    for (const [source, kind] of [
      ['smtp', 'message'],
      ['api', 'request'],
    ] as const)
      for (const outcome of ['accepted', 'uncertain'] as const) {
        const row = { ...rowOf(0), source, outcome, started_at }
        const [delivery_id = 0] = await logDeliveries(shared.service, [row])
        const key = { key: `${source} ${outcome}`, kind, delivery_id, started_at }
        await db.insertInto('delivery_keys').values(key).execute()
      }
    const clock = clockAt(noon)
    await runMaintenance(storage, clock, 30 * dayMs)
    const kept = db.selectFrom('delivery_keys').select('key').where('started_at', '=', started_at)
    assert.deepEqual(await kept.orderBy('key').execute(), [
      { key: 'api accepted' },
      { key: 'api uncertain' },
    ])
    await db.deleteFrom('deliveries').where('started_at', '=', started_at).execute()
  })
})
