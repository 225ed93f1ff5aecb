import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { startHoldingServer } from '../../../test/holding-server.ts'
import { submitMessage } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'

onMailyard('limits', (shared) => {
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    shared.ask(method, `/api/limits${path}`, body)

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
})
