import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useBrandCallers } from '../../../test/brand-callers.ts'
import { addTransport } from '../../../test/callers.ts'
import { startHoldingServer } from '../../../test/holding-server.ts'
import { addBrand, submitMessage } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import type { TestBody } from '../../../test/test-app.ts'
import type { QueueTables } from '../queue/table.ts'

onMailyard('limits', (shared) => {
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    shared.ask(method, `/api/limits${path}`, body)
  const server = useScriptedServer()
  const callers = useBrandCallers(shared)
  const submit = (transport: number, brand?: number) =>
    submitQueued(shared.service, {
      transport,
      mautic: brand === undefined ? undefined : { id: 1_000 + brand, name: 'M', brand },
    })

  test('a limit is created, read, changed and deleted', async () => {
    const { id: transportId } = await addTransport(shared.service, {})
    const created = await ask('POST', '/new', {
      name: 'Account',
      transports: [transportId, transportId],
      perSecond: 14,
      perDay: 1_000,
      warmUp: { startDate: '2020-01-01', firstDay: 10, growthPercent: 50 },
    })
    assert.equal(created.status, 201, created.text)
    const { id } = created.body.limit
    assert.deepEqual(created.body.limit.transports, [transportId])
    assert.equal(created.body.limit.overflow, 'queue')
    const changed = await ask('PATCH', `/${id}/edit`, { overflow: 'refuse', perSecond: null })
    assert.deepEqual(
      [changed.body.limit.overflow, changed.body.limit.perSecond, changed.body.limit.perDay],
      ['refuse', null, 1_000],
    )
    const { usage } = (await ask('GET', `/${id}`)).body.limit
    assert.deepEqual(usage.windows, [
      { window: 'day', max: 1_000, used: 0, left: 1_000, freeAt: null },
    ])
    assert.equal(usage.warmUp.allowance, 1_000)
    const listed = await ask('GET', '?with=usage')
    assert.deepEqual(listed.body.limits.find((each: { id: number }) => each.id === id).usage, usage)
    const path = `/api/multipleTransports/${transportId}/delete`
    const planned = await shared.ask('DELETE', `${path}?dryRun=1`)
    assert.match(planned.body.message, /1 limit loses it\./)
    const gone = await shared.ask('DELETE', path)
    assert.match(gone.body.message, /It was removed from 1 limit\./)
    assert.deepEqual((await ask('GET', `/${id}`)).body.limit.transports, [])
    assert.equal((await ask('DELETE', `/${id}/delete`)).status, 200)
    assert.equal((await ask('GET', `/${id}`)).status, 404)
  })

  test('a limit that limits nothing, or names what does not exist, is refused with the field', async () => {
    const empty = await ask('POST', '/new', { name: 'Nothing' })
    assert.equal(empty.status, 400)
    assert.ok(empty.body.details.perSecond)
    const wrong = { startDate: '2026-02-30', firstDay: 1, growthPercent: 1 }
    const date = await ask('POST', '/new', { name: 'Date', warmUp: wrong })
    assert.equal(date.status, 400)
    assert.ok(date.body.details.warmUp)
    const missing = await ask('POST', '/new', { name: 'T', perDay: 1, transports: [99_999] })
    assert.equal(missing.status, 404)
    const zero = await ask('POST', '/new', { name: 'Zero', perDay: 0 })
    assert.equal(zero.status, 400)
  })

  test('a message whose turn ends before its last bytes was not tried, and is sent in the next second', async (context) => {
    const { service, clock } = shared
    const server = await startHoldingServer()
    context.after(() => server.close())
    server.isHolding = false
    const { id, name } = await addTransport(service, { mailerDsn: server.dsn })
    await ask('POST', '/new', { name: 'Slow', transports: [id], perSecond: 5 })
    const to = 'large@rcpt.test'
    // More than the buffers of a connection hold.
    const text = `From: news@brand.test\nX-Mailyard-Transport: ${name}\n\n${'Hello\n'.repeat(2_000_000)}`
    const stalled = server.stall()
    const submitted = submitMessage(service, undefined, { to, text, mode: 'queue' })
    const readOn = await stalled
    clock.advance(4_000)
    readOn()
    assert.deepEqual(await submitted, ['250 2.0.0'])
    await service.app.idle()
    const { messages } = (await service.ask('GET', `/api/queue/messages?recipient=${to}`)).body
    assert.deepEqual([messages[0].attempts, server.received], [0, []])
    clock.advance(1_000)
    await service.app.idle()
    assert.deepEqual(server.received, [to])
  })

  test('a budget counts the messages of its brand through any transport, and those of others go on behind many that wait for it', async () => {
    const { service } = shared
    const { own, other } = callers
    const first = await addTransport(service, { mailerDsn: server.dsn, brand: own.brand })
    const second = await addTransport(service, { mailerDsn: server.dsn })
    const values = { name: 'Budget', brand: own.brand, perDay: 2 }
    const { id } = (await ask('POST', '/new', values)).body.limit
    await service.app.limiter.reload()
    const sent = [await submit(first.id, own.brand), await submit(second.id, own.brand)]
    await service.app.idle()
    assert.deepEqual(server.taken.slice(-2).sort(), sent.sort())
    const waiting = await Promise.all(
      Array.from({ length: 300 }, () => submit(second.id, own.brand)),
    )
    const others = [await submit(second.id, other.brand), await submit(second.id)]
    await service.app.idle()
    assert.ok(others.every((to) => server.taken.includes(to)))
    assert.ok(!waiting.some((to) => server.taken.includes(to)))
    const { messages } = (await service.ask('GET', `/api/queue/messages?brand=${own.brand}`)).body
    assert.equal(messages[0].problem, '451 4.3.2 Limit "Budget" is reached.')
    const overview = async (query = '') => (await service.ask('GET', `/api/queue${query}`)).body
    const [group] = (await overview(`?brand=${own.brand}`)).groups
    assert.deepEqual([group.deferred, group.state, group.limit?.id], [300, 'limited', id])
    const ofAll = (await overview()).groups.find(
      ({ transportId }: TestBody) => transportId === second.id,
    )
    assert.equal(ofAll.state, 'available')
    // Only who waits an hour or longer is counted, and the rest of a day may be shorter.
    await service.app.storage
      .tables<QueueTables>()
      .updateTable('queue_recipients')
      .set(({ eb }) => ({ created_at: eb('created_at', '-', 3_600_001) }))
      .where('brand_id', '=', own.brand)
      .execute()
    const { findings } = (await service.ask('GET', '/api/health/findings')).body
    const finding = findings.find(({ detail }: TestBody) => detail.includes('"Budget" is used up'))
    assert.match(finding.detail, /300 messages wait for it/)
    const usage = (await own.ask('GET', `/api/limits/${id}`)).body.limit.usage
    assert.deepEqual([usage.windows[0].used, usage.windows[0].left], [2, 0])
    assert.equal((await ask('PATCH', `/${id}/edit`, { perDay: 1_000 })).status, 200)
    await service.app.idle()
    const left = (await service.ask('GET', `/api/queue/messages?brand=${own.brand}`)).body.messages
    assert.deepEqual(left, [])
    assert.ok(waiting.every((to) => server.taken.includes(to)))
  })

  test('what waits for a budget keeps no token of an account from other brands', async () => {
    const { own, other } = callers
    const { id } = await addTransport(shared.service, {})
    const limits = [
      { name: 'Account', transports: [id], perSecond: 2 },
      { name: 'Budget', brand: own.brand, perSecond: 1 },
    ]
    for (const values of limits) assert.equal((await ask('POST', '/new', values)).status, 201)
    const { limiter } = shared.service.app
    const ending = new AbortController()
    const acquire = async (brand: number) => {
      const wait = { waitMs: 10_000, signal: ending.signal }
      return limiter.acquire({ transportId: id, brand, count: 1 }, wait)
    }
    const first = await acquire(own.brand)
    const waiting = acquire(own.brand)
    const second = await acquire(other.brand)
    assert.deepEqual([first.granted, second.granted], [true, true])
    ending.abort()
    assert.equal((await waiting).granted, false)
    for (const each of [first, second]) if (each.granted) each.permit.release()
  })

  test('a budget takes no overflow to the next transport, no connections and no warm-up; a limit of a brand only its transports', async () => {
    const { own, other } = callers
    const warmUp = { startDate: '2026-01-31', firstDay: 1, growthPercent: 1 }
    for (const [name, value] of Object.entries({ overflow: 'next', connectionsMax: 1, warmUp })) {
      const values = { name: 'Budget', brand: own.brand, perDay: 1, [name]: value }
      const { status, body } = await ask('POST', '/new', values)
      assert.deepEqual([status, Object.keys(body.details)], [400, [name]])
    }
    const ofOther = await addTransport(shared.service, { brand: other.brand })
    const ofNone = await addTransport(shared.service, {})
    for (const { id } of [ofOther, ofNone]) {
      const values = { name: 'Account', brand: own.brand, perDay: 1, transports: [id] }
      assert.equal((await ask('POST', '/new', values)).status, 404)
      assert.equal((await own.ask('POST', '/api/limits/new', values)).status, 404)
    }
  })

  test('callers with a brand read its budget and change none; they see the use of their own limits only', async () => {
    const { own, other } = callers
    const create = async (values: object) =>
      (await ask('POST', '/new', { name: 'L', perDay: 9, ...values })).body.limit.id
    const budget = await create({ brand: own.brand })
    const foreign = await create({ brand: other.brand })
    const ofOther = await addTransport(shared.service, { brand: other.brand })
    const ofNone = await addTransport(shared.service, {})
    const common = await create({ transports: [ofOther.id, ofNone.id] })
    const isForbidden = async (
      method: 'POST' | 'PATCH' | 'DELETE',
      path: string,
      body?: object,
    ) => {
      const { status, text } = await own.ask(method, `/api/limits${path}`, body)
      assert.equal(status, 403, text)
    }
    await isForbidden('PATCH', `/${budget}/edit`, { perDay: 10 })
    await isForbidden('DELETE', `/${budget}/delete`)
    await isForbidden('POST', '/new', { name: 'Mine', perDay: 1 })
    const { id: transport } = await addTransport(shared.service, { brand: own.brand })
    const values = { name: 'Mine', perDay: 1, transports: [transport] }
    const mine = await own.ask('POST', '/api/limits/new', values)
    assert.deepEqual([mine.status, mine.body.limit.brand], [201, own.brand], mine.text)
    await isForbidden('PATCH', `/${mine.body.limit.id}/edit`, { transports: [] })
    assert.equal((await own.ask('GET', `/api/limits/${foreign}`)).status, 404)
    const { limits } = (await own.ask('GET', '/api/limits?with=usage')).body
    const usageOf = new Map(limits.map(({ id, usage }: TestBody) => [id, usage?.windows[0].max]))
    assert.deepEqual([usageOf.get(budget), usageOf.get(common)], [9, undefined])
    assert.ok(usageOf.has(common) && !usageOf.has(foreign))
    const { transports, usage } = (await own.ask('GET', `/api/limits/${common}`)).body.limit
    assert.deepEqual([transports, usage], [[ofNone.id], undefined])
    for (const id of [budget, foreign]) await ask('DELETE', `/${id}/delete`)
  })

  test('a limit of a brand is for no transport that was moved out of it, and is not its budget then', async () => {
    const [brand, other] = [await addBrand(shared.service), await addBrand(shared.service)]
    const { id } = await addTransport(shared.service, { brand })
    const values = { name: 'Account', brand, transports: [id], perDay: 1 }
    assert.equal((await ask('POST', '/new', values)).status, 201)
    const acquire = async (transportId: number | null, of: number) =>
      shared.service.app.limiter.acquire({ transportId, brand: of, count: 2 }, { waitMs: 0 })
    assert.equal((await acquire(id, brand)).granted, false)
    await shared.ask('PATCH', `/api/multipleTransports/${id}/edit`, { brand: other })
    assert.equal((await acquire(id, other)).granted, true)
    assert.equal((await acquire(null, brand)).granted, true)
  })

  test('a limit of a brand does not become its budget while its last transport is deleted or in another brand', async () => {
    const { own, other } = callers
    const [one, two] = [
      await addTransport(shared.service, { brand: own.brand }),
      await addTransport(shared.service, { brand: own.brand }),
    ]
    const values = { name: 'Account', transports: [one.id, two.id], perDay: 1 }
    const limit = (await own.ask('POST', '/api/limits/new', values)).body.limit.id
    const path = '/api/multipleTransports'
    await shared.ask('PATCH', `${path}/${one.id}/edit`, { brand: other.brand })
    for (const { id } of [one, two]) await shared.ask('DELETE', `${path}/${id}/delete`)
    const edited = await own.ask('PATCH', `/api/limits/${limit}/edit`, { perDay: 2 })
    assert.deepEqual([edited.status, edited.body.limit?.transports], [200, [two.id]], edited.text)
    await shared.ask('POST', `${path}/${two.id}/restore`)
    const kept = (await own.ask('GET', `/api/limits/${limit}`)).body.limit
    assert.deepEqual([kept.transports, kept.isPublished], [[two.id], true])
  })
})
