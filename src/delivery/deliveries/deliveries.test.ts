import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTransport, addUser } from '../../../test/callers.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'
import { createLog } from '../../kit/log.ts'
import { emptyDelivery } from '../log/delivery-row.ts'
import { createMaintenance } from '../maintenance.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'

const dayMs = 86_400_000
const noon = Date.parse('2026-03-01T12:00:00Z')
const rowCount = 300

/** Row 0 is the oldest. Each filter selects other rows. */
function rowOf(index: number): Omit<DeliveryRow, 'id'> {
  const started = {
    source: index % 3 === 2 ? ('smtp' as const) : ('api' as const),
    caller: 'Admin',
    // Pairs have the same time, so that the order by id matters.
    startedAt: noon + Math.floor(index / 2) * 1_000,
    processId: 'gone',
  }
  const recipient = `Reader${index % 11}@Example.com`
  return {
    ...emptyDelivery(started),
    email_id: index % 4,
    contact_id: index % 5,
    transport_id: index % 7,
    transport: `t${index % 7}`,
    member: `smtp://mail${index % 3}.example.com:25`,
    outcome: (['accepted', 'refused', 'uncertain', 'accepted'] as const)[index % 4] ?? 'accepted',
    sender: 'news@brand.test',
    recipient,
    recipient_key: recipient.toLowerCase(),
    reply: index % 10 === 0 ? '250 2.0.0 Ok: 100% queued_as' : '250 fein für ÜBER',
    message_id: `<m${index}@brand.test>`,
    subject: index % 2 === 0 ? `Your order ${index}` : null,
  }
}

onEachDatabase('the list of deliveries', (shared) => {
  const rows = Array.from({ length: rowCount }, (_, index) => rowOf(index))
  before(async () => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    // Inserted in another order than they started, as outcomes that are written later are.
    for (const index of rows.keys()) {
      const row = rows[index ^ 1]
      if (row !== undefined) await db.insertInto('deliveries').values(row).execute()
    }
  })

  const ask = async (query: string) => {
    const { status, body, text } = await shared.service.ask('GET', `/api/deliveries?${query}`)
    assert.equal(status, 200, text)
    return body
  }
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
    ['transport=t5', (row) => row.transport === 't5'],
    ['transport=%20T5', (row) => row.transport === 't5'],
    ['transport=t5&source=smtp', (row) => row.transport === 't5' && row.source === 'smtp'],
    ['recipient=READER7@example.COM', (row) => row.recipient_key === 'reader7@example.com'],
    ['recipient=reader1*', (row) => row.recipient_key.startsWith('reader1')],
    [
      'recipient=READER1*&outcome=refused',
      (row) => /^reader1/.test(row.recipient_key) && row.outcome === 'refused',
    ],
    ['recipient=reader_*', () => false],
    ['recipient=*1@example.*', (row) => row.recipient_key.includes('1@')],
    ['recipient=*%25*', () => false],
    ['sender=NEWS@brand.test&emailId=2', (row) => row.email_id === 2],
    ['sender=*@brand.test&emailId=2', (row) => row.email_id === 2],
    ['recipient=ader1', (row) => row.recipient_key.includes('ader1')],
    ['recipient=reader1@', (row) => row.recipient_key.startsWith('reader1@')],
    ['recipient=@EXAMPLE.com&emailId=1', (row) => row.email_id === 1],
    ['recipient=reader1@example.c', () => false],
    ['sender=brand.test&emailId=2', (row) => row.email_id === 2],
    ['sender=news@brand', () => false],
    ['subject=ORDER%202', (row) => row.subject?.includes('order 2') === true],
    ['subject=order_', () => false],
    ['search=order%20122', (row) => row.subject === 'Your order 122'],
    ['messageId=m29@brand.test', (row) => row.message_id === '<m29@brand.test>'],
    ['messageId=%3Cm29@brand.test%3E', (row) => row.message_id === '<m29@brand.test>'],
    ['messageId=m2', () => false],
    ['outcome=refused,uncertain', (row) => row.outcome !== 'accepted'],
    ['outcome=refused,uncertain,started,accepted', () => true],
    ['outcome=accepted,refused', (row) => row.outcome !== 'uncertain'],
    [
      'outcome=uncertain,refused&source=smtp&emailId=1',
      (row) => row.outcome !== 'accepted' && row.source === 'smtp' && row.email_id === 1,
    ],
    [
      'outcome=uncertain,refused&source=smtp',
      (row) => row.outcome !== 'accepted' && row.source === 'smtp',
    ],
    ['outcome=accepted', (row) => row.outcome === 'accepted'],
    ['outcome=refused', (row) => row.outcome === 'refused'],
    ['outcome=uncertain', (row) => row.outcome === 'uncertain'],
    ['outcome=started', () => false],
    ['source=smtp', (row) => row.source === 'smtp'],
    ['member=smtp://mail1.example.com:25', (row) => row.member?.includes('mail1') === true],
    ['from=2026-03-01T12:01:00Z', (row) => row.started_at >= noon + 60_000],
    ['to=2026-03-01T12:01:00Z', (row) => row.started_at <= noon + 60_000],
    ['from=2026-03-01%2012:01:00', (row) => row.started_at >= noon + 60_000],
    ['to=2026-03-01T13:01:00%2B01:00', (row) => row.started_at <= noon + 60_000],
    [
      'from=2026-03-01T12:00:30Z&to=2026-03-01T12:00:40Z',
      (row) => row.started_at >= noon + 30_000 && row.started_at <= noon + 40_000,
    ],
    ['search=100%25', (row) => row.reply?.includes('100%') === true],
    ['search=QUEUED_as', (row) => row.reply?.includes('queued_as') === true],
    ['search=%C3%9CBER', (row) => row.reply?.includes('ÜBER') === true],
    ['search=FEIN', (row) => row.reply?.includes('fein') === true],
    ['search=m29', (row) => row.message_id?.includes('m29') === true],
    ['search=100_', () => false],
    [
      'emailId=1&outcome=refused&source=api',
      (row) => row.email_id === 1 && row.outcome === 'refused' && row.source === 'api',
    ],
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
    const { status, body } = await shared.service.ask('GET', `/api/deliveries?${query}`)
    assert.equal(status, 400)
    assert.deepEqual(Object.keys(body.details).sort(), [
      'contactId',
      'emailId',
      'from',
      'limit',
      'outcome',
      'recipient',
      'source',
      'start',
      'to',
      'total',
    ])
    assert.equal((await ask('search=&emailId=')).deliveries.length, 30)
    assert.deepEqual((await ask('search=%27%22%5C%3B--')).deliveries, [])
    const nul = await shared.service.ask('GET', '/api/deliveries?search=%00')
    assert.equal(nul.status, 400)
  })

  test('finding nothing says how a part of an address is found, and that no transport has the name', async () => {
    const warningsOf = async (query: string) => (await ask(query)).warnings
    assert.deepEqual(await warningsOf('recipient=reader1@example.c&sender=a@b.test'), [
      'No recipient is exactly "reader1@example.c". For the beginning of an address, write "reader1@example.c*".',
      'No sender is exactly "a@b.test". For the beginning of an address, write "a@b.test*".',
    ])
    assert.equal(await warningsOf('recipient=reader1@example.com'), undefined)
    assert.equal(await warningsOf('recipient=nothing-like-it'), undefined)
    assert.equal(await warningsOf('transport=default'), undefined)
    await addTransport(shared.service, { name: 'Company relay' })
    const [unknown] = await warningsOf('transport=company')
    assert.match(
      unknown,
      /^No transport is named "company" now, so .* Did you mean "Company relay"\?$/,
    )
    assert.equal(await warningsOf('transport=company%20RELAY'), undefined)
  })

  test('a name that several transports have is refused with their ids', async () => {
    const values = { mailerDsn: 'null://null' }
    const ids: number[] = []
    for (const name of ['Twin', ' tWIN']) {
      const item = { ...values, name }
      const { body } = await shared.service.ask('POST', '/api/multipleTransports/new', item)
      ids.push(body.id)
    }
    const { status, body } = await shared.service.ask('GET', '/api/deliveries?transport=twin')
    assert.equal(status, 400)
    assert.equal(
      body.error,
      `Several transports are named "twin": ${ids.join(', ')}. Use the id of one of them.`,
    )
  })

  test('viewing needs email:view, settling email:send', async () => {
    const stranger = await addUser(shared.service, { contact: ['full'] })
    const viewer = await addUser(shared.service, { email: ['view'] })
    const as = (caller: typeof viewer) => ({ as: caller.as })
    const { service } = shared
    assert.equal((await service.ask('GET', '/api/deliveries', undefined, as(stranger))).status, 403)
    const seen = await service.ask('GET', '/api/deliveries?limit=1', undefined, as(viewer))
    assert.equal(seen.status, 200)
    const path = `/api/deliveries/${seen.body.deliveries[0].id}/settle`
    const settle = await service.ask('POST', path, { outcome: 'accepted' }, as(viewer))
    assert.equal(settle.status, 403)
  })

  test('only deliveries older than the limit are removed, in batches', async () => {
    const { storage } = shared.service.app
    const log = createLog('silent')
    const db = storage.tables<DeliveryTables>()
    const old = { ...rowOf(0), started_at: noon - 40 * dayMs, message_id: '<old@brand.test>' }
    const many = Array.from({ length: 600 }, () => old)
    await db.insertInto('deliveries').values(many.slice(0, 300)).execute()
    await db.insertInto('deliveries').values(many.slice(300)).execute()
    const clock = clockAt(noon + dayMs)
    const maintenance = createMaintenance({
      storage,
      clock,
      log,
      keepMs: 30 * dayMs,
      holdMs: dayMs,
    })
    await maintenance.run()
    await maintenance.stop()
    assert.equal((await readAll('', 1_000)).length, rowCount)
    assert.deepEqual((await ask('search=old@brand')).deliveries, [])
  })

  test('a message is recognized for a day, or while it is uncertain; a request by its Idempotency-Key as long as it is listed', async () => {
    const { storage } = shared.service.app
    const db = storage.tables<DeliveryTables>()
    const keys = (['smtp', 'api'] as const).flatMap((source) =>
      (['accepted', 'uncertain'] as const).map((outcome) => ({
        ...rowOf(0),
        source,
        outcome,
        started_at: noon - 2 * dayMs,
      })),
    )
    const columns = ['id', 'started_at', 'source', 'outcome'] as const
    const added = await db.insertInto('deliveries').values(keys).returning(columns).execute()
    await db
      .insertInto('delivery_keys')
      .values(
        added.map(({ id, started_at, source, outcome }) => ({
          key: `${source} ${outcome}`,
          kind: source === 'smtp' ? ('message' as const) : ('request' as const),
          delivery_id: id,
          started_at,
        })),
      )
      .execute()
    const clock = clockAt(noon)
    const log = createLog('silent')
    const maintenance = createMaintenance({
      storage,
      clock,
      log,
      keepMs: 30 * dayMs,
      holdMs: dayMs,
    })
    await maintenance.run()
    await maintenance.stop()
    const kept = await db
      .selectFrom('delivery_keys')
      .select('key')
      .where('started_at', '=', noon - 2 * dayMs)
      .orderBy('key')
      .execute()
    assert.deepEqual(
      kept.map((row) => row.key),
      ['api accepted', 'api uncertain'],
    )
    await db
      .deleteFrom('deliveries')
      .where('started_at', '=', noon - 2 * dayMs)
      .execute()
  })
})
