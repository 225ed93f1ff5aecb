import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { adminPassword } from '../../../test/administrator.ts'
import { addEmail, addTransport } from '../../../test/callers.ts'
import { type TestDatabase, testDatabases } from '../../../test/databases.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { useMailCatcher } from '../../../test/mail-catcher.ts'
import { connectMautic, useMauticDouble } from '../../../test/mautics.ts'
import { createMovableClock } from '../../../test/movable-clock.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import { addQueued } from '../../../test/queue/test-queue.ts'
import { runMailyard } from '../../../test/run-mailyard.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'
import { isFull } from '../../../test/volume.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts'
import type { Config } from '../config/index.ts'
import { openStorage } from '../storage/index.ts'
import { markRestored } from './installation.ts'

const hourMs = 3_600_000
const publicUrl = 'https://mail.example.com'
const otherUrl = 'https://copy.example.com'
const restored = { reason: 'restored', servedAs: publicUrl }
const otherReason = { reason: 'otherUrl', servedAs: publicUrl }

/** Restores a database in its place: SQLite by the two commands, PostgreSQL with tables that are created again, as `pg_restore` does. */
async function restore({ url }: TestDatabase): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const copy = `${url.slice('sqlite:'.length)}.copy`
    for (const command of ['backup', 'restore']) {
      const { code, stderr } = await runMailyard([command, copy], { databaseUrl: url })
      assert.equal(code, 0, stderr)
    }
    rmSync(copy)
    return
  }
  const storage = openStorage({ url, onIdleError: () => undefined })
  for (const statement of [
    'create table restored (like installation including all)',
    'insert into restored select * from installation',
    'drop table installation',
    'alter table restored rename to installation',
  ])
    await sql.raw(statement).execute(storage.tables())
  await storage.close()
}

const unconfirmedOf = async (service: TestApp) => {
  const login = { username: 'admin', password: adminPassword }
  return (await service.askFor('POST', '/api/session', login, { as: 'anonymous' })).unconfirmed
}
const confirm = (service: TestApp) => service.askFor('POST', '/api/installation/confirm')
const findingOf = async (service: TestApp) => {
  const { findings } = await service.askFor('GET', '/api/health/findings')
  return findings.find(({ check }: { check: string }) => check === 'installation')
}

for (const { name, createMigrated } of testDatabases)
  describe(`a copy of a database on ${name}`, () => {
    const catcher = useMailCatcher()
    const doubles = [useMauticDouble(), useMauticDouble(), useMauticDouble()]
    let receiver: WebhookReceiver
    before(async () => {
      receiver = await openWebhookReceiver()
    })
    after(() => receiver.close())

    /** Creates a database, and what opens Mailyards on it. */
    const create = async (context: TestContext) => {
      const database = await createMigrated()
      const opened = new Set<TestApp>()
      const close = async (service: TestApp) => opened.delete(service) && service.close()
      context.after(async () => {
        for (const service of opened) await close(service)
        await database.drop()
      })
      const open = async (config: Partial<Config>, options: TestAppOptions = {}) => {
        const mail = { mailerDsn: catcher.dsn, ...config }
        const service = await openTestApp({ ...options, config: mail, database })
        opened.add(service)
        return service
      }
      return { database, open, close }
    }

    /** Fills an original that sends nothing yet; returns what it is to send. */
    const fill = async (service: TestApp) => {
      const transport = await addTransport(service, { mailerDsn: catcher.dsn })
      const to: string[] = []
      for (let count = 0; count < (isFull ? 1_000 : 20); count += 1)
        to.push(await submitQueued(service, { transport: transport.id, isBulk: count % 2 === 0 }))
      const mauticIds: number[] = []
      for (const double of doubles) mauticIds.push((await connectMautic(service, double)).id)
      const report = { contactId: 20, emailId: 17, reason: 'bounced' as const, comments: 'gone' }
      const address = 'c20@rcpt.test'
      await service.app.mautics.reports.add(
        mauticIds.map((mauticId) => ({ ...report, address, mauticId })),
      )
      const webhook = { name: 'Shop', events: ['limit.reached'], url: receiver.url }
      const { id: webhookId } = (await service.askFor('POST', '/api/webhooks/new', webhook)).webhook
      const data = { limitId: 1, message: 'Limit 1 is reached.' }
      const event = { type: 'limit.reached' as const, data, cause: 'limit 1' }
      await service.app.webhooks.publisher.publish(service.app.storage.tables(), [event])
      return { to, transportId: transport.id as number, mauticId: mauticIds[0], webhookId }
    }
    const reported = () =>
      doubles.map(
        ({ requests }) => requests.filter(({ path }) => path.endsWith('/dnc/email/add')).length,
      )

    for (const [way, config, unconfirmed] of (
      [
        ['that was restored', { publicUrl }, restored],
        ['that is served under another URL', { publicUrl: otherUrl }, otherReason],
      ] as const
    ).slice(0, isFull ? 2 : 1))
      test(`${way} sends nothing in any way and loses nothing, however long; once it is confirmed, it sends each once`, async (context) => {
        receiver.requests.length = 0
        catcher.mails.length = 0
        const { database, open, close } = await create(context)
        await close(await open({ publicUrl }))
        const first = await open({ publicUrl }, { isStarted: false })
        const { to, transportId, mauticId, webhookId } = await fill(first)
        const emailId = (await addEmail(first, { plainText: 'Hello' })).id
        const contact = { email: 'ann@rcpt.test' }
        const { id: contactId } = (await first.askFor('POST', '/api/contacts/new', contact)).contact
        await logDeliveries(first, [{ outcome: 'uncertain' }])
        await addQueued(first, Date.now(), { recipient: 'bob@rcpt.test', state: 'uncertain' })
        await close(first)
        if (way === 'that was restored') await restore(database)
        for (const { requests } of doubles) requests.length = 0

        const clock = createMovableClock()
        const copy = await open({ ...config, deliveriesKeepDays: 1 }, { clock })
        const other = await open(config, { clock })
        // Longer than the lifetime of a message, and than deliveries are kept.
        for (let hour = 0; hour < 25; hour += 1) {
          clock.advance(hourMs)
          await copy.app.idle()
        }
        const { messages } = await copy.askFor('GET', '/api/queue/messages?state=uncertain')
        const { deliveries } = await copy.askFor('GET', '/api/deliveries?outcome=uncertain')
        assert.deepEqual([messages.length, deliveries.length], [1, 1])
        assert.deepEqual(await unconfirmedOf(copy), unconfirmed)
        assert.equal((await findingOf(copy)).severity, 'problem')
        assert.ok(copy.logged.some((line) => line.includes('installation not confirmed')))

        for (const mode of ['queue', 'hybrid'] as const)
          to.push(await submitQueued(copy, { transport: transportId, mode }))
        await submitQueued(copy, { transport: transportId, mode: 'direct', reply: /^451 4\.3\.0$/ })
        for (const [path, body] of [
          [`/api/multipleTransports/send/test/${transportId}`],
          ['/api/multipleTransports/send/test', { mailerDsn: catcher.dsn, to: 'ann@rcpt.test' }],
          [`/api/webhooks/${webhookId}/test`],
          [`/api/mautics/${mauticId}/webhook`, { acceptsUnproven: true }],
        ] as const) {
          const { status, text } = await copy.ask('POST', path, body)
          assert.equal(status, 409, `${path}: ${text}`)
          assert.match(text, /mailyard confirm/)
        }
        const test = { id: emailId, to: contact.email }
        const tested = await copy.askFor('POST', '/api/emails/send/test', test)
        assert.equal(tested.success, false)
        assert.match(tested.message, /mailyard confirm/)
        const send = `/api/emails/${emailId}/contact/${contactId}/send`
        const { success, queued } = await copy.askFor('POST', send, {})
        assert.equal(success, true)
        assert.match(queued.reason, /mailyard confirm/)
        to.push(contact.email)
        await copy.app.idle()
        await other.app.idle()
        assert.deepEqual(catcher.mails, [])
        assert.deepEqual(receiver.requests, [])
        assert.deepEqual(
          doubles.map(({ requests }) => requests),
          [[], [], []],
        )

        await confirm(copy)
        await until(() => other.app.installation.unconfirmed === undefined, 'all know it')
        for (const service of [copy, other, copy]) await service.app.idle()
        const sentTo = catcher.mails.flatMap(({ to }) => to)
        assert.deepEqual(sentTo.toSorted(), to.toSorted())
        assert.equal(receiver.requests.length, 1)
        assert.deepEqual(reported(), [1, 1, 1])
        assert.equal(await unconfirmedOf(copy), undefined)
        await close(copy)
        assert.equal(await unconfirmedOf(await open(config)), undefined)
      })

    test('the public URL that was first set is remembered; a Mailyard without one is no copy', async (context) => {
      const { open } = await create(context)
      assert.equal(await unconfirmedOf(await open({})), undefined)
      assert.equal(await unconfirmedOf(await open({ publicUrl })), undefined)
      assert.equal(await unconfirmedOf(await open({})), undefined)
      assert.deepEqual(await unconfirmedOf(await open({ publicUrl: otherUrl })), otherReason)
    })

    test('a command without a public URL confirms, and the one that was served is remembered', async (context) => {
      const { open } = await create(context)
      await open({ publicUrl })
      const command = await open({})
      await command.app.installation.confirm('operator')
      assert.deepEqual(await unconfirmedOf(await open({ publicUrl: otherUrl })), otherReason)
    })

    test('a database that is marked as restored is a copy', async (context) => {
      const { open, close } = await create(context)
      const original = await open({ publicUrl })
      await markRestored(original.app.storage)
      await close(original)
      assert.deepEqual(await unconfirmedOf(await open({ publicUrl })), restored)
    })

    test('the rows of another database alone make it a copy, too', {
      skip: name === 'SQLite' && 'it has no tool that restores rows',
    }, async (context) => {
      const { database, open } = await create(context)
      await open({ publicUrl })
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      const rows = sql`insert into installation (public_url, table_id) values (${publicUrl}, '1')`
      await rows.execute(storage.tables())
      await storage.close()
      const copy = await open({ publicUrl })
      assert.deepEqual(await unconfirmedOf(copy), restored)
      await confirm(copy)
      assert.equal(await unconfirmedOf(copy), undefined)
    })

    test('MAILYARD_CONFIRM_URL confirms at the start, where it is the public URL', async (context) => {
      const { open } = await create(context)
      await open({ publicUrl })
      const wrong = await open({ publicUrl: otherUrl, confirmUrl: publicUrl })
      assert.deepEqual(await unconfirmedOf(wrong), otherReason)
      const right = await open({ publicUrl: otherUrl, confirmUrl: otherUrl })
      assert.equal(await unconfirmedOf(right), undefined)
      assert.equal(await unconfirmedOf(await open({ publicUrl: otherUrl })), undefined)
    })

    test('a command confirms it while it is served', async (context) => {
      const { database, open } = await create(context)
      await open({ publicUrl })
      const copy = await open({ publicUrl: otherUrl })
      const env = {
        MAILYARD_PUBLIC_URL: otherUrl,
        MAILYARD_SECRET_KEY: 'a secret key for tests, of 32 characters or more',
      }
      const { code, stderr } = await runMailyard(['confirm'], { databaseUrl: database.url, env })
      assert.equal(code, 0, stderr)
      await until(() => copy.app.installation.unconfirmed === undefined, 'the process knows it')
    })
  })
