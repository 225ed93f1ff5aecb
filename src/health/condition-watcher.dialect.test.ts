import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { submitMessage } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import type { TestApp, TestBody } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'

const closedDsn = 'smtp://user:S3cret@127.0.0.1:1'

onEachDatabase(
  'what goes on is published:',
  { intervals: quickIntervals, isStarted: false },
  (shared) => {
    const server = useScriptedServer()
    let other: TestApp
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
    before(async () => {
      other = await shared.openAnother()
      await sql`insert into webhooks (name, events, format, is_published, date_added, revision, search_text)
        values ('Shop', ${JSON.stringify([
          'transport.down',
          'transport.up',
          'limit.reached',
          'queue.delayed',
          'mautic.unreachable',
        ])}, 'standard', true, 0, 1, 'shop')`.execute(db())
      for (const { app } of [shared.service, other]) await app.start()
      for (const { app } of [shared.service, other]) await app.events.reload()
    })

    const db = () => shared.service.app.storage.tables<unknown>()
    const published = async (type: string, cause: string): Promise<TestBody[]> => {
      const { rows } = await sql<{ body: string }>`select body from webhook_messages
        where type = ${type} and cause = ${cause} order by id`.execute(db())
      assert.ok(!JSON.stringify(rows).includes('S3cret'))
      return rows.map(({ body }) => JSON.parse(body).data)
    }
    const untilPublished = async (type: string, cause: string, count = 1): Promise<TestBody> => {
      const isThere = async () => (await published(type, cause)).length >= count
      await until(isThere, `${type} of ${cause}`)
      return (await published(type, cause)).at(-1)
    }
    /** Waits until both processes have compared again: what one of them begins later is published. */
    const untilCompared = async () => {
      for (const service of [shared.service, other]) {
        const transport = await addTransport(service, { mailerDsn: closedDsn })
        await submit(transport.name, service)
        await untilPublished('transport.down', `transport ${transport.id}`)
      }
    }
    const submit = async (transport: string, service: TestApp = shared.service) => {
      const to = `${uniqueName('r')}@rcpt.test`
      const text = `X-Mailyard-Transport: ${transport}\nMessage-ID: <${to}>\n\nHello`
      await submitMessage(service, undefined, { to, text, sender: 'a@b.test', mode: 'queue' })
      return to
    }

    test('tell once that a transport is down, and once that it works again', async () => {
      const { id, name } = await addTransport(shared.service, { mailerDsn: closedDsn })
      const cause = `transport ${id}`
      for (const service of [shared.service, other]) await submit(name, service)
      const down = await untilPublished('transport.down', cause)
      assert.deepEqual([down.transportId, down.transport], [id, name])
      assert.match(down.message, /does not work: .*refused/)
      const { findings } = (await ask('GET', '/api/health/findings')).body
      const finding = findings.find(({ check }: TestBody) => check === 'transports')
      assert.equal(finding.severity, 'problem')
      assert.deepEqual(finding.actions[0], { action: 'testTransport', id, name })
      const edit = `/api/multipleTransports/${id}/edit`
      assert.equal((await ask('PATCH', edit, { mailerDsn: server.dsn })).status, 200)
      await untilPublished('transport.up', cause)
      await untilCompared()
      for (const type of ['transport.down', 'transport.up'])
        assert.equal((await published(type, cause)).length, 1, type)
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
      await submit(name)
      const cause = `limit ${body.limit.id}`
      const reached = await untilPublished('limit.reached', cause)
      assert.deepEqual([reached.limit, reached.limitId], ['Account', body.limit.id])
      await untilCompared()
      const windows = (await published('limit.reached', cause)).map(({ window }) => window)
      assert.equal(new Set(windows).size, windows.length)
    })

    test('tell that the queue is delayed, and again only after it recovered', async () => {
      const { name } = await addTransport(shared.service, { mailerDsn: closedDsn })
      const to = await submit(name)
      const waits = async () =>
        (await ask('GET', `/api/queue/messages?recipient=${to}`)).body.messages.length === 1
      await until(waits, 'it waits')
      const age = (createdAt: number) =>
        sql`update queue_recipients set created_at = ${createdAt} where address = ${to}`.execute(
          db(),
        )
      await age(shared.clock.now() - 20 * 60_000)
      const delayed = await untilPublished('queue.delayed', 'queue')
      assert.match(delayed.message, /^1 message waits for more than 15 minutes/)
      await untilCompared()
      assert.equal((await published('queue.delayed', 'queue')).length, 1)
      await age(shared.clock.now())
      const isOver = async () => {
        const { rows } = await sql`select 1 from published_conditions
          where key = 'queue.delayed'`.execute(db())
        return rows.length === 0
      }
      await until(isOver, 'it has recovered')
      await age(shared.clock.now() - 20 * 60_000)
      await untilPublished('queue.delayed', 'queue', 2)
    })

    test('tell once that a published Mautic cannot be reached', async () => {
      const closed = { url: 'http://127.0.0.1:1', clientId: 'id', clientSecret: 'S3cret' }
      const { body } = await ask('POST', '/api/mautics/new', { name: 'shop', ...closed })
      await shared.service.app.mautics.synchronize(body.mautic.id)
      const cause = `mautic ${body.mautic.id}`
      const unreachable = await untilPublished('mautic.unreachable', cause)
      assert.equal(unreachable.mautic, 'shop')
      await untilCompared()
      assert.equal((await published('mautic.unreachable', cause)).length, 1)
    })
  },
)
