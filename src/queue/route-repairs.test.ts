import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { addEmail, addTransport, uniqueName } from '../../test/callers.ts'
import { addMautic, closeMautics, submitMessage } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { openTestStore } from '../../test/queue/open-test-store.ts'
import { createTestQueue } from '../../test/queue/test-queue.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import { until } from '../../test/until.ts'
import { type DeliveryTables, defaultTransport, noTransport } from '../delivery/table.ts'
import type { CallerMautic } from '../kit/caller.ts'
import { createLog } from '../kit/log.ts'
import { RouteRepairs } from './route-repairs.ts'
import type { QueueRecipientRow, QueueTables } from './table.ts'

const hourMs = 3_600_000
/** A port at which no server listens. */
const brokenDsn = 'smtp://127.0.0.1:1'

onEachDatabase(
  'a message that waits for its route',
  (shared) => {
    after(closeMautics)
    const server = useScriptedServer()
    const ask = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
      const answer = await shared.service.ask(method, path, body)
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    const tables = () => shared.service.app.storage.tables<QueueTables>()
    const rowOf = (address: string) =>
      tables()
        .selectFrom('queue_recipients')
        .selectAll()
        .where('address', '=', address)
        .executeTakeFirst()
    /** Submits a message and lets it fail until the next attempt is an hour away. Returns its recipient. */
    const wait = async (
      message: { head?: string; mautic?: CallerMautic; sender?: string },
      waitsFor: QueueRecipientRow['waits_for'],
    ): Promise<string> => {
      const { head = '', mautic, sender = 'news@brand.test' } = message
      const to = `${uniqueName('to')}@example.test`
      await done()
      const text = `From: ${sender}\nMessage-ID: <${to}>\n${head}\n\nHello`
      await submitMessage(shared.service, mautic, { to, text, sender, mode: 'queue' })
      await until(async () => {
        const row = await rowOf(to)
        return row?.attempts === 1 && row.state === 'queued'
      }, 'the message was attempted')
      assert.equal((await rowOf(to))?.waits_for, waitsFor)
      const later = { due_at: shared.clock.now() + hourMs, attempts: 8 }
      await tables().updateTable('queue_recipients').set(later).where('address', '=', to).execute()
      return to
    }
    /** Waits until earlier repairs are done. */
    const done = () =>
      until(async () => {
        const repairs = await tables().selectFrom('route_repairs').select('id').execute()
        return repairs.length === 0
      }, 'the repairs are done')
    const sent = (to: string) => until(() => server.taken.includes(to), `the message to ${to}`)
    const naming = (transport: string | number) => ({ head: `X-Mailyard-Transport: ${transport}` })
    const edit = (id: number, values: object) =>
      ask('PATCH', `/api/multipleTransports/${id}/edit`, values)

    test('is sent at once when a transport of the name is created', async () => {
      const name = uniqueName('later')
      const to = await wait(naming(name), noTransport)
      await addTransport(shared.service, { name, mailerDsn: server.dsn })
      await sent(to)
    })

    test('is sent at once when its transport is published', async () => {
      const values = { mailerDsn: server.dsn, isPublished: false }
      const { id } = await addTransport(shared.service, values)
      const to = await wait(naming(id), noTransport)
      await edit(id, { isPublished: true })
      await sent(to)
    })

    test('is sent at once when the DSN of its transport is changed', async () => {
      const { id } = await addTransport(shared.service, { mailerDsn: brokenDsn })
      const to = await wait(naming(id), id)
      await edit(id, { mailerDsn: server.dsn })
      await sent(to)
    })

    test('is sent at once when its transport is restored', async () => {
      const { id } = await addTransport(shared.service, { mailerDsn: server.dsn })
      await ask('DELETE', `/api/multipleTransports/${id}/delete`)
      const to = await wait(naming(id), noTransport)
      await ask('POST', `/api/multipleTransports/${id}/restore`)
      await sent(to)
    })

    test('is sent at once when its email is assigned, alone or in a batch', async () => {
      const { id: transportId } = await addTransport(shared.service, { mailerDsn: server.dsn })
      const assign = [
        (emailId: number) =>
          ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, { transportId }),
        (emailId: number) =>
          ask('POST', '/api/multipleTransport/transportEmail/batch', [{ emailId, transportId }]),
      ]
      for (const each of assign) {
        const { id } = await addEmail(shared.service)
        const to = await wait({ head: `X-EMAIL-ID: ${id}` }, noTransport)
        await each(id)
        await sent(to)
      }
    })

    test('is sent at once when its email is assigned to another transport than the broken one', async () => {
      const { id: broken } = await addTransport(shared.service, { mailerDsn: brokenDsn })
      const { id: transportId } = await addTransport(shared.service, { mailerDsn: server.dsn })
      const { id } = await addEmail(shared.service)
      const path = `/api/multipleTransport/transportEmail/${id}`
      await ask('POST', path, { transportId: broken })
      const to = await wait({ head: `X-EMAIL-ID: ${id}` }, broken)
      await ask('POST', path, { transportId })
      await sent(to)
    })

    test('is sent at once when the user who is its sender is assigned', async () => {
      const { id: transportId } = await addTransport(shared.service, { mailerDsn: server.dsn })
      const to = await wait({ sender: 'admin@example.com' }, noTransport)
      const { body } = await shared.service.ask('GET', '/api/users/self')
      await ask('PATCH', `/api/users/${body.id}/edit`, { email: 'admin@example.com' })
      await ask('POST', `/api/multipleTransport/transportUser/${body.id}`, { transportId })
      await sent(to)
      await ask('DELETE', `/api/multipleTransport/transportUser/${body.id}`)
    })

    test("is sent at once when its email uses the owner's transport", async () => {
      const { id: transportId } = await addTransport(shared.service, { mailerDsn: server.dsn })
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
      const { id: transportId } = await addTransport(shared.service, { mailerDsn: server.dsn })
      const mautic = await addMautic(shared.service)
      const to = await wait({ mautic }, noTransport)
      await ask('PATCH', `/api/mautics/${mautic.id}/edit`, { transportId })
      await sent(to)
    })

    test('is sent at once when its transport is repaired while an attempt still fails', async () => {
      const silent = await startSilentServer()
      after(silent.stop)
      const { id } = await addTransport(shared.service, { mailerDsn: brokenDsn })
      const to = await wait(naming(id), id)
      await edit(id, { mailerDsn: silent.dsn })
      await until(() => silent.connections.length > 0, 'the next attempt has begun')
      await edit(id, { mailerDsn: server.dsn })
      await done()
      silent.stop()
      await sent(to)
    })

    test('stays if another route is repaired, or if its server has refused it for now', async () => {
      const name = uniqueName('greylisting')
      await addTransport(shared.service, { name, mailerDsn: server.dsn })
      const { id: broken } = await addTransport(shared.service, { mailerDsn: brokenDsn })
      const { id: transportId } = await addTransport(shared.service, { mailerDsn: server.dsn })
      const [one, other] = [await addMautic(shared.service), await addMautic(shared.service)]
      const later = await wait(naming(broken), broken)
      const ofOther = await wait({ mautic: other }, noTransport)
      server.act = () => ({ code: 451, text: '4.7.1 greylisted' })
      const greylisted = await wait(naming(name), null)
      server.act = () => undefined
      const repaired = await wait({ mautic: one }, noTransport)
      await ask('PATCH', `/api/mautics/${one.id}/edit`, { transportId })
      await sent(repaired)
      await done()
      for (const to of [later, ofOther, greylisted])
        assert.equal((await rowOf(to))?.attempts, 8, `${to} is not attempted again`)
    })

    test('is sent at once by another process than the one that repairs the route', async () => {
      const other = await shared.openAnother({ isStarted: false })
      const { id } = await addTransport(shared.service, { mailerDsn: brokenDsn })
      const to = await wait(naming(id), id)
      const values = { mailerDsn: server.dsn }
      await other.ask('PATCH', `/api/multipleTransports/${id}/edit`, values)
      await sent(to)
    })
  },
  { intervals: quickIntervals },
)

/** Starts a server that accepts connections and says nothing until it is stopped. */
async function startSilentServer() {
  const connections: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    connections.push(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const stop = () => {
    server.close()
    for (const socket of connections) socket.destroy()
  }
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { dsn: `smtp://127.0.0.1:${address.port}`, connections, stop }
}

onEachDatabase(
  'the repairs of routes',
  (shared) => {
    const queue = createTestQueue(shared)
    const tables = () => shared.service.app.storage.tables<QueueTables>()
    const add = async (
      recipient: string,
      {
        mautic_id = 0,
        waitsFor = noTransport,
      }: { mautic_id?: number; waitsFor?: number | null } = {},
    ) => {
      const due = { due_at: shared.clock.now() + hourMs, attempts: 8 }
      await queue.add({ recipient, mautic_id, ...due })
      const change = { waits_for: waitsFor }
      const update = tables().updateTable('queue_recipients').set(change)
      await update.where('address', '=', recipient).execute()
    }
    const countDue = async () => {
      const query = tables().selectFrom('queue_recipients').select('id')
      return (await query.where('due_at', '<=', shared.clock.now()).execute()).length
    }
    const repair = async (mautic_id: number | null) => {
      const row = { waits_for: noTransport, mautic_id }
      await tables().insertInto('route_repairs').values(row).execute()
      const repairs = new RouteRepairs({
        storage: shared.service.app.storage,
        clock: shared.clock,
        log: createLog('silent'),
        intervals: { idleMs: 10 },
        defaultDsn: undefined,
        onDue: () => undefined,
      })
      repairs.start()
      await until(async () => {
        const left = await tables().selectFrom('route_repairs').select('id').execute()
        return left.length === 0
      }, 'the repairs are done')
      await repairs.stop()
    }

    test('make many messages due in steps, and only those of their Mautic', async () => {
      // Those of the transport that the tests share.
      await tables().deleteFrom('route_repairs').execute()
      const count = 450
      for (let index = 0; index < count; index += 1)
        await add(`${index}@example.test`, { mautic_id: index % 2 })
      await repair(1)
      assert.equal(await countDue(), count / 2)
      await repair(null)
      assert.equal(await countDue(), count)
    })

    test('make a message due that was being sent, once its attempt has failed', async () => {
      await queue.clear()
      const now = shared.clock.now()
      const { storage } = shared.service.app
      const alive = { id: 'p', seen_at: now, host: null, pid: null, version: null }
      await storage
        .tables<DeliveryTables>()
        .insertInto('delivery_processes')
        .values({ ...alive, started_at: null })
        .execute()
      const store = openTestStore(storage, 'p')
      const claimAll = async () => {
        await tables().updateTable('queue_recipients').set({ due_at: now }).execute()
        const claim = { transportId: noTransport, lane: 'transactional' as const, limit: 2 }
        const claimed = await store.claim(claim, now)
        assert.equal(claimed.length, 2)
        return claimed
      }
      const settle = (id: number) =>
        store.settle({
          id,
          state: 'queued',
          at: now,
          dueAt: now + hourMs,
          attempts: 9,
          problem: '451 4.3.5 There is no transport.',
          transportId: noTransport,
          waitsFor: noTransport,
        })
      await add('waited@example.test')
      await add('new@example.test', { waitsFor: null })
      const claimed = await claimAll()
      await repair(null)
      for (const { id } of claimed) assert.equal(await settle(id), now)
      assert.equal(await countDue(), 2)
      // What failed after the repair waits.
      for (const { id } of await claimAll()) assert.equal(await settle(id), now + hourMs)
      assert.equal(await countDue(), 0)
    })

    test('include the start of a process, with another default transport or key than before', async () => {
      await queue.clear()
      const repaired = [noTransport, defaultTransport, 7, 9]
      for (const waitsFor of [null, ...repaired])
        await add(`${waitsFor}@example.test`, { waitsFor })
      const attempted = async () => {
        const query = tables().selectFrom('queue_recipients').select('address')
        const rows = await query.where('attempts', '>', 8).orderBy('id').execute()
        return rows.map(({ address }) => address)
      }
      const config = { mailerDsn: 'null://null' }
      await shared.openAnother({ config, isStarted: true, intervals: quickIntervals })
      await until(async () => (await attempted()).length >= repaired.length, 'they are attempted')
      assert.deepEqual(
        await attempted(),
        repaired.map((waitsFor) => `${waitsFor}@example.test`),
      )
    })
  },
  { isStarted: false },
)
