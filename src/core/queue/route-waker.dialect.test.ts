import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addEmail, addReachedLimit, addTransport, uniqueName } from '../../../test/callers.ts'
import { startHoldingServer } from '../../../test/holding-server.ts'
import { addMautic } from '../../../test/mautics.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { type QueuedSubmission, submitQueued } from '../../../test/queue/submit-queued.ts'
import { createTestQueue } from '../../../test/queue/test-queue.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import { until } from '../../../test/until.ts'
import { createLog } from '../../kit/log.ts'
import { limitsChannel, routesChannel } from '../../platform/storage/index.ts'
import { defaultTransport, noTransport, unansweredTransport } from '../delivery/table.ts'
import type { LimitTables } from '../limits/table.ts'
import type { TransportTables } from '../transports/index.ts'
import { reachedLimit } from './retry-schedule.ts'
import { RouteWaker } from './route-waker.ts'
import type { QueueRecipientRow, QueueTables } from './table.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
/** A port at which no server listens. */
const brokenDsn = 'smtp://127.0.0.1:1'

onEachDatabase('a message that waits for its route', { isOwn: true }, (shared) => {
  const server = useScriptedServer()
  const ask = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
    const answer = await shared.ask(method, path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const tables = () => shared.service.app.storage.tables<QueueTables>()
  const rowOf = (address: string) => {
    const rows = tables().selectFrom('queue_recipients').selectAll()
    return rows.where('address', '=', address).executeTakeFirst()
  }
  /** Submits a message and lets it fail until the next attempt is an hour away. Returns its recipient. */
  const wait = async (
    message: QueuedSubmission,
    waitsFor: QueueRecipientRow['waits_for'],
  ): Promise<string> => {
    const to = await submitQueued(shared.service, message)
    await idle()
    const { state, attempts, waits_for } =
      (await rowOf(to)) ?? assert.fail('It has left the queue.')
    assert.deepEqual([state, attempts > 0, waits_for], ['queued', true, waitsFor])
    const later = { due_at: shared.clock.now() + hourMs, attempts: 8 }
    await tables().updateTable('queue_recipients').set(later).where('address', '=', to).execute()
    return to
  }
  const idle = () => shared.service.app.idle()
  const sent = async (to: string) => {
    await idle()
    assert.ok(server.taken.includes(to), `the message to ${to}`)
  }
  const newTransport = async (values: Record<string, unknown> = {}) =>
    (await addTransport(shared.service, { mailerDsn: server.dsn, ...values })).id
  const edit = (id: number, values: object) =>
    ask('PATCH', `/api/multipleTransports/${id}/edit`, values)

  test('is sent at once when a transport of the name is created', async () => {
    const name = uniqueName('later')
    const to = await wait({ transport: name }, noTransport)
    await newTransport({ name })
    await sent(to)
  })

  test('is sent at once when its transport is published', async () => {
    const id = await newTransport({ isPublished: false })
    const to = await wait({ transport: id }, noTransport)
    await edit(id, { isPublished: true })
    await sent(to)
  })

  test('is sent at once when the DSN of its transport is changed', async () => {
    const id = await newTransport({ mailerDsn: brokenDsn })
    const to = await wait({ transport: id }, id)
    await edit(id, { mailerDsn: server.dsn })
    await sent(to)
  })

  test('is sent at once when its transport is restored', async () => {
    const id = await newTransport()
    await ask('DELETE', `/api/multipleTransports/${id}/delete`)
    const to = await wait({ transport: id }, noTransport)
    await ask('POST', `/api/multipleTransports/${id}/restore`)
    await sent(to)
  })

  test('is sent at once when its email is assigned, alone or in a batch', async () => {
    const transportId = await newTransport()
    for (const isBatch of [false, true]) {
      const { id: emailId } = await addEmail(shared.service)
      const to = await wait({ head: `X-EMAIL-ID: ${emailId}` }, noTransport)
      const [path, body] = isBatch
        ? ['batch', [{ emailId, transportId }]]
        : [emailId, { transportId }]
      await ask('POST', `/api/multipleTransport/transportEmail/${path}`, body)
      await sent(to)
    }
  })

  test('is sent at once when its email is assigned to another transport than the broken one', async () => {
    const broken = await newTransport({ mailerDsn: brokenDsn })
    const transportId = await newTransport()
    const { id } = await addEmail(shared.service)
    const path = `/api/multipleTransport/transportEmail/${id}`
    await ask('POST', path, { transportId: broken })
    const to = await wait({ head: `X-EMAIL-ID: ${id}` }, broken)
    await ask('POST', path, { transportId })
    await sent(to)
  })

  test('is sent at once when the user who is its sender is assigned', async () => {
    const transportId = await newTransport()
    const to = await wait({ sender: 'admin@example.com' }, noTransport)
    const { body } = await shared.ask('GET', '/api/users/self')
    await ask('PATCH', `/api/users/${body.id}/edit`, { email: 'admin@example.com' })
    await ask('POST', `/api/multipleTransport/transportUser/${body.id}`, { transportId })
    await sent(to)
    await ask('DELETE', `/api/multipleTransport/transportUser/${body.id}`)
  })

  test("is sent at once when its email uses the owner's transport", async () => {
    const transportId = await newTransport()
    const data = {
      emails: [17],
      users: { 5: 'olga@brand.test' },
      contacts: { 9: { email: 'ann@example.test', ownerId: 5 } },
    }
    const mautic = await addMautic(shared.service, data)
    const query = `?mautic=${mautic.id}`
    await ask('POST', `/api/multipleTransport/transportUser/5${query}`, { transportId })
    const head = 'X-EMAIL-ID: 17\nX-Owner-Id: 5'
    const to = await wait({ mautic, head }, noTransport)
    const owners = { transportId: null, useOwnerTransport: true }
    await ask('POST', `/api/multipleTransport/transportEmail/17${query}`, owners)
    await sent(to)
  })

  test('is sent at once when its Mautic gets a default transport', async () => {
    const transportId = await newTransport()
    const mautic = await addMautic(shared.service)
    const to = await wait({ mautic }, noTransport)
    await ask('PATCH', `/api/mautics/${mautic.id}/edit`, { transportId })
    await sent(to)
  })

  test('is sent at once when its transport is repaired while an attempt still fails', async () => {
    const silent = await startHoldingServer()
    const id = await newTransport({ mailerDsn: brokenDsn })
    const to = await wait({ transport: id }, id)
    await edit(id, { mailerDsn: silent.dsn })
    await until(() => silent.held.length > 0, 'the next attempt has begun')
    await edit(id, { mailerDsn: server.dsn })
    await silent.close()
    await sent(to)
  })

  test('is sent at once when its transport is repaired while its sender waits in hybrid', async () => {
    const silent = await startHoldingServer()
    const id = await newTransport({ mailerDsn: silent.dsn })
    const submitted = submitQueued(shared.service, { mode: 'hybrid', transport: id })
    await until(() => silent.held.length > 0, 'the attempt has begun')
    await edit(id, { mailerDsn: server.dsn })
    await silent.close()
    await sent(await submitted)
  })

  test('stays if its server has refused it for now, or it still has no route', async () => {
    const name = uniqueName('greylisting')
    await newTransport({ name })
    server.act = () => ({ code: 451, text: '4.7.1 greylisted' })
    const greylisted = await wait({ transport: name }, null)
    server.act = () => undefined
    const unroutable = await wait({ transport: uniqueName('missing') }, noTransport)
    const mautic = await addMautic(shared.service)
    const repaired = await wait({ mautic }, noTransport)
    const transportId = await newTransport()
    await ask('PATCH', `/api/mautics/${mautic.id}/edit`, { transportId })
    await sent(repaired)
    assert.equal((await rowOf(greylisted))?.attempts, 8)
    const { attempts = 0, due_at = 0 } = (await rowOf(unroutable)) ?? {}
    assert.ok(attempts > 8 && due_at > shared.clock.now() + hourMs / 2)
    await idle()
    assert.equal((await rowOf(unroutable))?.attempts, attempts)
  })

  test('is sent at once if another process repairs the route; on SQLite, within a minute', async () => {
    const other = await shared.openAnother({ isStarted: false })
    const id = await newTransport({ mailerDsn: brokenDsn })
    const to = await wait({ transport: id }, id)
    await other.ask('PATCH', `/api/multipleTransports/${id}/edit`, { mailerDsn: server.dsn })
    if (!shared.service.app.storage.isShared) shared.clock.advance(minuteMs)
    else await until(() => server.taken.includes(to), 'the notification arrives')
    await sent(to)
  })

  test('is sent within a minute if the notification of the repair is lost', async () => {
    const id = await newTransport({ isPublished: false })
    const to = await wait({ transport: id }, noTransport)
    const { storage } = shared.service.app
    const update = storage.tables<TransportTables>().updateTable('transports')
    await update.set({ is_published: true }).where('id', '=', id).execute()
    shared.clock.advance(minuteMs)
    await sent(to)
  })

  test('is sent within a minute when the notification about a changed limit is lost', async () => {
    const id = await newTransport()
    const limit = await addReachedLimit(shared.service, id)
    const to = await submitQueued(shared.service, { transport: id })
    await idle()
    assert.equal((await rowOf(to))?.waits_for, reachedLimit)
    const db = shared.service.app.storage.tables<LimitTables>()
    await db.updateTable('limits').set({ per_day: 9 }).where('id', '=', limit.id).execute()
    shared.clock.advance(minuteMs)
    await sent(to)
  })

  // The last: its second process attempts what waits, too.
  test('is sent at once when its transport is repaired before its sender stops waiting', async () => {
    const silent = await startHoldingServer()
    const config = { smtpMode: 'hybrid' as const, smtpWaitSeconds: 1 }
    const other = await shared.openAnother({ config, isStarted: true })
    const id = await newTransport({ mailerDsn: silent.dsn })
    const submitted = submitQueued(other, { mode: 'hybrid', transport: id })
    await until(() => silent.held.length > 0, 'the attempt has begun')
    await other.ask('PATCH', `/api/multipleTransports/${id}/edit`, { mailerDsn: server.dsn })
    const to = await submitted
    assert.equal((await rowOf(to))?.state, 'claimed')
    await silent.close()
    await other.app.idle()
    await sent(to)
  })
})

onEachDatabase('the waker of what waits for a route', { isStarted: false }, (shared) => {
  const queue = createTestQueue(shared)
  const tables = () => shared.service.app.storage.tables<QueueTables>()
  const wait = async (waits_for = noTransport) => {
    const values = { waits_for, due_at: shared.clock.now() + hourMs }
    await tables().updateTable('queue_recipients').set(values).execute()
  }
  const countDue = async () => {
    const query = tables().selectFrom('queue_recipients').select('id')
    return (await query.where('due_at', '<=', shared.clock.now()).execute()).length
  }
  /** Its clock stands still, so that it does nothing because a minute is over. */
  const startWaker = async (context: TestContext, storage = shared.service.app.storage) => {
    const waker = new RouteWaker({
      storage,
      clock: clockAt(shared.clock.now()),
      log: createLog('silent'),
      intervals: { idleMs: 10 },
      onDue: () => undefined,
    })
    context.after(() => waker.stop())
    waker.start()
    await waker.idle()
    return waker
  }

  test('makes all of them due at its start and after a change, in steps', async (context) => {
    await queue.clear()
    await queue.addMany(1_200, { due_at: shared.clock.now() + hourMs, attempts: 8 })
    await wait()
    const waker = await startWaker(context)
    assert.equal(await countDue(), 1_200)
    await wait()
    shared.service.app.storage.notify(routesChannel)
    await waker.idle()
    assert.equal(await countDue(), 1_200)
  })

  test('makes those due whose Mautic answers again or has answered, although the database fails once, and no other', async (context) => {
    await queue.clear()
    await queue.addMany(1_200, { mautic_id: 7 })
    await queue.addMany(1, { mautic_id: 8 })
    const { storage } = shared.service.app
    let failures = 0
    const transaction: typeof storage.transaction = (...asked) =>
      failures-- > 0 ? Promise.reject(new Error('lost')) : storage.transaction(...asked)
    const waker = await startWaker(context, { ...storage, transaction })
    await wait(unansweredTransport)
    failures = 1
    waker.noteChanged(7)
    await waker.idle()
    assert.equal(await countDue(), 1_200)
    const ids = tables().selectFrom('queue_recipients').select('id').orderBy('id', 'desc')
    const answered = Promise.resolve()
    waker.expectAnswer((await ids.executeTakeFirstOrThrow()).id, { answered })
    failures = 1
    await answered
    await waker.idle()
    assert.equal(await countDue(), 1_201)
  })

  test('is idle once it has done all that has changed, without its rests', async (context) => {
    await queue.clear()
    for (const mautic_id of [7, 8]) await queue.addMany(1, { mautic_id })
    const waker = await startWaker(context)
    await wait(unansweredTransport)
    for (const mautic of [7, 8]) waker.noteChanged(mautic)
    await waker.idle()
    assert.equal(await countDue(), 2)
  })

  test('makes those due that wait for a limit after limits have changed, and not after another change', async (context) => {
    await queue.clear()
    await queue.addMany(2, { due_at: shared.clock.now() + hourMs })
    const waker = await startWaker(context)
    await wait(reachedLimit)
    for (const [channel, due] of Object.entries({ [routesChannel]: 0, [limitsChannel]: 2 })) {
      shared.service.app.storage.notify(channel)
      await waker.idle()
      assert.equal(await countDue(), due, channel)
    }
  })

  test('finds what waits after an attempt that began before a change, and no other', async (context) => {
    await queue.clear()
    await queue.addMany(1, { due_at: shared.clock.now() + hourMs, attempts: 8 })
    const waker = await startWaker(context)
    const { changes } = waker
    shared.service.app.storage.notify(routesChannel)
    await waker.idle()
    assert.equal(waker.changes, changes + 1)
    await wait()
    waker.noteWaiting(waker.changes)
    await waker.idle()
    assert.equal(await countDue(), 0)
    waker.noteWaiting(changes)
    await waker.idle()
    assert.equal(await countDue(), 1)
  })

  test('runs at a process start, with another default transport or key than before', async () => {
    await queue.clear()
    const routes = [noTransport, defaultTransport, 7, 9]
    for (const waits_for of [null, ...routes]) {
      const recipient = `${waits_for}@example.test`
      await queue.add({ recipient, due_at: shared.clock.now() + hourMs, attempts: 8 })
      const update = tables().updateTable('queue_recipients').set({ waits_for })
      await update.where('address', '=', recipient).execute()
    }
    const attempted = async () => {
      const query = tables().selectFrom('queue_recipients').select('address')
      const rows = await query.where('attempts', '>', 8).orderBy('id').execute()
      return rows.map(({ address }) => address)
    }
    const config = { mailerDsn: 'null://null' }
    const other = await shared.openAnother({ config, isStarted: true })
    await other.app.idle()
    assert.deepEqual(
      await attempted(),
      routes.map((waitsFor) => `${waitsFor}@example.test`),
    )
  })
})
