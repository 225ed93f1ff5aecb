import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { addTransport } from '../../../test/callers.ts'
import { addBrand, synchronizeMautic } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { askForEvents, listPublished } from '../../../test/published-events.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import type { TestApp, TestBody } from '../../../test/test-app.ts'
import type { EventType } from '../../core/published/index.ts'

const closedDsn = 'smtp://user:S3cret@127.0.0.1:1'

onEachDatabase('what goes on is published:', { isOwn: true }, (shared) => {
  const server = useScriptedServer()
  let other: TestApp
  const { ask } = shared
  before(async () => {
    other = await shared.openAnother()
    await askForEvents(shared.service, [
      'transport.down',
      'transport.up',
      'limit.reached',
      'budget.near',
      'queue.delayed',
      'mautic.unreachable',
    ])
  })

  /** What is published of a type and cause once both processes have compared twice. */
  const published = async (type: EventType, cause: string): Promise<TestBody[]> => {
    for (const { app } of [shared.service, other, shared.service, other]) await app.idle()
    const all = await listPublished(shared.service, type, cause)
    assert.ok(!JSON.stringify(all).includes('S3cret'))
    return all
  }
  const publishedOnce = async (type: EventType, cause: string): Promise<TestBody> => {
    const [event, ...others] = await published(type, cause)
    assert.deepEqual(others, [])
    return event ?? assert.fail(`${type} of ${cause} is not published`)
  }

  test('tell once that a transport is down, and once that it works again', async () => {
    const { id, name } = await addTransport(shared.service, { mailerDsn: closedDsn })
    const cause = `transport ${id}`
    for (const service of [shared.service, other]) await submitQueued(service, { transport: name })
    const down = await publishedOnce('transport.down', cause)
    assert.deepEqual([down.transportId, down.transport], [id, name])
    assert.match(down.message, /does not work: .*refused/)
    const { findings } = (await ask('GET', '/api/health/findings')).body
    const finding = findings.find(({ check }: TestBody) => check === 'transports')
    assert.equal(finding.severity, 'problem')
    assert.deepEqual(finding.actions[0], { action: 'testTransport', id, name })
    const edit = `/api/multipleTransports/${id}/edit`
    assert.equal((await ask('PATCH', edit, { mailerDsn: server.dsn })).status, 200)
    await publishedOnce('transport.up', cause)
    await publishedOnce('transport.down', cause)
  })

  test('tell nothing of a transport that was deleted, which each process forgets', async () => {
    const { id, name } = await addTransport(shared.service, { mailerDsn: closedDsn })
    await submitQueued(shared.service, { transport: name })
    await publishedOnce('transport.down', `transport ${id}`)
    const used = () =>
      [shared.service, other].flatMap(({ app }) =>
        app.delivery.listTransports().map(({ transportId }) => transportId),
      )
    assert.ok(used().includes(id))
    await ask('DELETE', `/api/multipleTransports/${id}/delete`)
    await publishedOnce('transport.down', `transport ${id}`)
    assert.ok(!used().includes(id))
  })

  test('tell once that a limit is used up', async () => {
    const { id, name } = await addTransport(shared.service, { mailerDsn: server.dsn })
    const { body } = await ask('POST', '/api/limits/new', {
      name: 'Account',
      transports: [id],
      perMonth: 1,
      perDay: 1,
    })
    // Either process may send the message.
    await other.app.limiter.reload()
    await submitQueued(shared.service, { transport: name })
    const all = await published('limit.reached', `limit ${body.limit.id}`)
    assert.deepEqual([all[0].limit, all[0].limitId], ['Account', body.limit.id])
    assert.equal(new Set(all.map(({ window }) => window)).size, all.length)
  })

  test('tell once for each day that 80 % of the budget of a brand is used', async () => {
    const { id: transport } = await addTransport(shared.service, { mailerDsn: server.dsn })
    const brand = await addBrand(shared.service)
    const mautic = { id: 1_000 + brand, name: 'M', brand }
    const values = { name: 'Budget', brand, perDay: 5 }
    const limit = (await ask('POST', '/api/limits/new', values)).body.limit.id
    await other.app.limiter.reload()
    const submit = () => submitQueued(shared.service, { transport, mautic })
    const budget = () => published('budget.near', `budget ${limit}`)
    for (let sent = 0; sent < 3; sent += 1) await submit()
    assert.deepEqual(await budget(), [])
    await submit()
    const event = await publishedOnce('budget.near', `budget ${limit}`)
    assert.deepEqual(
      [event.limitId, event.brand, event.window, event.used],
      [limit, brand, 'day', 4],
    )
    // It is used less, and then more again.
    const edit = (perDay: number) => ask('PATCH', `/api/limits/${limit}/edit`, { perDay })
    await edit(50)
    await publishedOnce('budget.near', `budget ${limit}`)
    await edit(5)
    await publishedOnce('budget.near', `budget ${limit}`)
  })

  test('tell that the queue is delayed, and again only after it recovered', async () => {
    const { name } = await addTransport(shared.service, { mailerDsn: closedDsn })
    const to = await submitQueued(shared.service, { transport: name })
    const age = (createdAt: number) =>
      sql`update queue_recipients set created_at = ${createdAt} where address = ${to}`.execute(
        shared.service.app.storage.tables<unknown>(),
      )
    await age(shared.clock.now() - 20 * 60_000)
    const delayed = await publishedOnce('queue.delayed', 'queue')
    assert.match(delayed.message, /^1 message waits for more than 15 minutes/)
    await age(shared.clock.now())
    await publishedOnce('queue.delayed', 'queue')
    await age(shared.clock.now() - 20 * 60_000)
    assert.equal((await published('queue.delayed', 'queue')).length, 2)
  })

  test('tell once that a published Mautic cannot be reached', async () => {
    const closed = { url: 'http://127.0.0.1:1', clientId: 'id', clientSecret: 'S3cret' }
    const { body } = await ask('POST', '/api/mautics/new', { name: 'shop', ...closed })
    await synchronizeMautic(shared.service, body.mautic.id)
    const { mautic } = await publishedOnce('mautic.unreachable', `mautic ${body.mautic.id}`)
    assert.equal(mautic, 'shop')
  })
})
