import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  addClient,
  addEmail,
  addReachedLimit,
  addTemplate,
  addTransport,
  addUser,
} from '../../../test/callers.ts'
import { synchronizeMautic } from '../../../test/mautics.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { addQueued, type TestMessage } from '../../../test/queue/test-queue.ts'
import type { TestApp, TestBody } from '../../../test/test-app.ts'
import { noTransport } from '../../core/delivery/table.ts'
import { reachedLimit } from '../../core/queue/retry-schedule.ts'
import type { QueueTables } from '../../core/queue/table.ts'

const examine = (service: TestApp): Promise<TestBody> =>
  service.askFor('GET', '/api/health/findings')
const find = (report: TestBody, check: string): TestBody =>
  report.findings.find((each: TestBody) => each.check === check) ?? assert.fail(check)

const microsoftDsn = 'smtp://me%40example.com:S3cret@smtp.office365.com:587'

// Nothing goes on beside the tests.
const options = { config: { port: 0 }, isStarted: false }

onEachDatabase('the findings of the running process', options, (shared) => {
  /** Examines the process, whose last report is not kept any more. */
  const examineLater = () => {
    shared.clock.advance(6_000)
    return examine(shared.service)
  }

  test('have the checks of doctor, versions, sizes and processes', async () => {
    const service = await shared.openAnother()
    await service.app.delivery.processes.start()
    const report = await examine(service)
    for (const check of ['configuration', 'API port', 'default transport', 'database', 'clock'])
      assert.ok(find(report, check))
    for (const check of ['DSNs', 'uncertain deliveries'])
      assert.equal(find(report, check).severity, 'ok')
    assert.equal(report.versions.node, process.version)
    assert.match(report.versions.database, /^(SQLite|PostgreSQL) \d/)
    assert.ok(report.database.sizeBytes > 10_000)
    assert.equal(report.database.rows.users, 1)
    assert.deepEqual(report.database.migrations, { pending: [], newer: [] })
    const own = report.processes.find((each: TestBody) => each.isThis)
    assert.deepEqual([own.pid, own.version], [process.pid, report.versions.mailyard])
  })

  test('name transports that cannot be decrypted and deliveries that are uncertain', async () => {
    const { service } = shared
    const { id } = await addTransport(service)
    const db = service.app.storage.tables<unknown>()
    await sql`update transports set mailer_dsn = 'no ciphertext' where id = ${id}`.execute(db)
    const report = await examineLater()
    assert.equal(report.status, 'problem')
    const dsns = find(report, 'DSNs')
    assert.match(dsns.detail, /^1 cannot be read/)
    assert.match(dsns.fix, /Save their DSNs again/)
    await sql`delete from transports where id = ${id}`.execute(db)
  })

  test('name the log-ins that end, more urgently as the day comes, and what depends on them', async () => {
    const examineAt = async (time: string) => {
      const clock = clockAt(() => Date.parse(time))
      const config = { port: 0, mailerDsn: microsoftDsn }
      const report = await examine(await shared.openAnother({ config, clock }))
      return report.findings as TestBody[]
    }
    const { service } = shared
    const near = '2026-11-26T12:00:00Z'
    const [none] = (await examineAt(near)).filter(({ check }) => check === 'log-ins')
    assert.deepEqual([none.severity, none.fix], ['ok', null])
    const news = await addTransport(service, { name: 'News', mailerDsn: microsoftDsn })
    const shop = await addTransport(service, { name: 'Shop', mailerDsn: microsoftDsn })
    const mail = await addTransport(service, { mailerDsn: microsoftDsn, isPublished: false })
    const old = await addTransport(service, { mailerDsn: 'gmail://a:S3cret@default' })
    const email = await addEmail(service)
    const assign = `/api/multipleTransport/transportEmail/${email.id}`
    await service.ask('POST', assign, { transportId: news.id })
    const findings = await examineAt(near)
    assert.ok(!JSON.stringify(findings).includes('S3cret'))
    const [google, microsoft] = findings.filter(({ check }) => check === 'log-ins')
    assert.equal(google.severity, 'problem')
    assert.match(google.detail, new RegExp(`That was \\d+ days ago. Transports: "${old.name}"`))
    assert.equal(microsoft.severity, 'warning')
    assert.match(microsoft.detail, /in 35 days. Transports: "News", with 1 email;\n"Shop"/)
    const opening = (id: number, name: string) => ({ action: 'openTransport', id, name })
    assert.deepEqual(microsoft.actions, [opening(news.id, 'News'), opening(shop.id, 'Shop')])
    const byDefault = findings.find(({ check }) => check === 'default transport')
    assert.equal(byDefault.severity, 'warning')
    for (const { id } of [news, shop, mail, old])
      await service.ask('DELETE', `/api/multipleTransports/${id}/delete`)
  })

  test('name who can log in for a week only, or could until a week ago', async () => {
    const clock = clockAt(() => Date.parse('2026-03-10T12:00:00Z'))
    const service = await shared.openAnother({ clock })
    const addEnding = async (validUntil: string) => {
      const user = await addUser(service, {})
      await service.askFor('PATCH', `/api/users/${user.id}/edit`, { validUntil })
      return user
    }
    for (const day of ['2026-03-18', '2026-03-02']) await addEnding(day)
    const user = await addEnding('2026-03-17')
    const grants = { grantTypes: ['client_credentials'], role: 1 }
    const client = await addClient(service, { ...grants, name: 'CRM', validUntil: '2026-03-10' })
    const access = { url: 'https://mautic.example.com', clientId: 'id', clientSecret: 'secret' }
    const values = { ...access, name: 'ending', validUntil: '2026-03-03' }
    const { mautic } = await service.askFor('POST', '/api/mautics/new', values)
    const { findings } = await examine(service)
    const ends = findings.filter(({ command }: TestBody) => /valid-until/.test(command))
    assert.deepEqual(
      ends.map(({ detail, actions }: TestBody) => [detail, actions[0].action, actions[0].id]),
      [
        [`User "${user.username}" can log in until 2026-03-17.`, 'openUser', user.id],
        ['OAuth client "CRM" can log in until 2026-03-10.', 'openOAuthClient', client.id],
        ['Mautic "ending" could log in until 2026-03-03.', 'openMautic', mautic.id],
      ],
    )
    await service.askFor('DELETE', `/api/mautics/${mautic.id}/delete`)
  })

  test('name a Mautic that cannot be read or accepts no reports, and why', async () => {
    const { service } = shared
    const closed = { url: 'http://127.0.0.1:1', clientId: 'id', clientSecret: 'secret' }
    const { body } = await service.ask('POST', '/api/mautics/new', { name: 'shop', ...closed })
    await synchronizeMautic(service, body.mautic.id)
    const { severity, detail, actions } = find(await examineLater(), 'Mautic')
    assert.equal(severity, 'problem')
    assert.match(detail, /connection refused/)
    assert.deepEqual(actions, [{ action: 'openMautic', id: body.mautic.id, name: 'shop' }])
    const about = { mauticId: body.mautic.id, contactId: null, emailId: 1, comments: '' }
    await service.app.mautics.reports.add([{ ...about, address: 'a@b.test', reason: 'bounced' }])
    const db = service.app.storage.tables<unknown>()
    await sql`update mautic_reports set attempts = 3, problem = 'No right.'`.execute(db)
    const { findings } = await examineLater()
    const [, reports] = findings.filter((each: TestBody) => each.check === 'Mautic')
    // The process that sends reports may have tried it meanwhile.
    assert.match(reports.detail, /^"shop" does not accept a report .*: (No right|Nothing answers)/)
    await service.ask('DELETE', `/api/mautics/${body.mautic.id}/delete`)
  })

  test('name webhooks that are dead or fail, and why', async () => {
    const { service } = shared
    const add = async (name: string): Promise<number> => {
      const values = { name, url: 'http://127.0.0.1:1/', events: ['limit.reached'] }
      return (await service.askFor('POST', '/api/webhooks/new', values)).webhook.id
    }
    const [dead, failing, good] = [await add('Shop'), await add('CRM'), await add('Chat')]
    const since = Date.parse('2026-11-20T10:00:00Z')
    const db = service.app.storage.tables<unknown>()
    await sql`insert into webhook_states (webhook_id, failing_since, dead_at, problem) values
      (${dead}, ${since}, ${since + 259_200_000}, 'The receiver answered 500.'),
      (${failing}, ${since}, null, 'The receiver answered 503.'),
      (${good}, null, null, null)`.execute(db)
    const { findings } = await examineLater()
    const found = findings.filter((each: TestBody) => each.check === 'webhooks')
    const action = (id: number, name: string) => [{ action: 'openWebhook', id, name }]
    assert.deepEqual(
      found.map(({ severity, actions }: TestBody) => [severity, actions]),
      [
        ['problem', action(dead, 'Shop')],
        ['warning', action(failing, 'CRM')],
      ],
    )
    assert.match(found[0].detail, /The receiver answered 500\.$/)
    for (const id of [dead, failing, good])
      await service.ask('DELETE', `/api/webhooks/${id}/delete`)
  })

  test('name the templates that share a name, of the same owner and published', async () => {
    const { service } = shared
    const check = 'templates of one name'
    const { id: one } = await addTemplate(service, { name: 'Footer' })
    await addTemplate(service, { name: 'footer', isPublished: false })
    assert.equal(find(await examineLater(), check).severity, 'ok')
    const { id: other } = await addTemplate(service, { name: ' FOOTER ' })
    const { severity, detail } = find(await examineLater(), check)
    assert.equal(severity, 'warning')
    assert.match(detail, new RegExp(`template ${one}, not ${other}`))
  })

  test('name published emails that include a deleted template', async () => {
    const { service } = shared
    const check = 'templates of emails'
    const template = await addTemplate(service)
    const customHtml = `<p>{twigtemplate=${template.id}}</p>`
    const email = await addEmail(service, { customHtml })
    await addEmail(service, { customHtml, isPublished: false })
    const examineAgain = async () => find(await examineLater(), check)
    assert.equal((await examineAgain()).severity, 'ok')
    await service.ask('DELETE', `/api/twigTemplates/${template.id}/delete?force=1`)
    const { severity, detail, actions } = await examineAgain()
    assert.equal(severity, 'warning')
    assert.match(detail, new RegExp(`Template ${template.id} is included by email ${email.id} `))
    assert.deepEqual(actions, [{ action: 'openEmail', id: email.id, name: email.name }])
    await service.ask('POST', `/api/twigTemplates/${template.id}/restore`)
    assert.equal((await examineAgain()).severity, 'ok')
  })

  test('name assignments, transports and limits that keep emails from being sent', async () => {
    const { service } = shared
    const unused = await addTransport(service, { name: 'Old', isPublished: false })
    const failing = await addTransport(service, { name: 'Failing' })
    const email = await addEmail(service)
    const assign = `/api/multipleTransport/transportEmail/${email.id}`
    await service.ask('POST', assign, { transportId: unused.id })
    const db = service.app.storage.tables<unknown>()
    const now = shared.clock.now()
    const count = (at: number, outcome: string, change: number) =>
      sql`insert into delivery_count_changes (started_at, transport_id, source, outcome, change)
        values (${at}, ${failing.id}, 'smtp', ${outcome}, ${change})`.execute(db)
    const minute = now - (now % 60_000)
    await count(minute, 'refused', 1)
    await count(minute, 'deferred', 2)
    const ses = await addReachedLimit(service, unused.id)
    const waiting = { transport_id: unused.id, due_at: now + 7_200_000 }
    await addQueued(service, now, { ...waiting, recipient: ['greylisted@b.test'] })
    const limited = { ...waiting, waits_for: reachedLimit }
    await addQueued(service, now, { ...limited, recipient: ['a@b.test', 'b@b.test'] })
    const report = await examineLater()
    const assignments = find(report, 'assignments')
    assert.equal(assignments.severity, 'warning')
    assert.match(assignments.detail, /1 email to "Old"/)
    const down = find(report, 'transports')
    assert.equal(down.severity, 'problem')
    assert.equal(down.detail, '3 of 3 attempts through "Failing" failed.')
    assert.equal(Date.parse(down.since), minute)
    const reached = find(report, 'limits')
    assert.equal(reached.severity, 'warning')
    assert.match(reached.detail, /^Limit "SES" is used up .* 2 messages wait for it/)
    assert.ok(Date.parse(reached.until) > now)
    const on = (action: string, { id, name }: TestBody) => ({ action, id, name })
    const anywhere = { action: 'openAssignments', id: null, name: null }
    assert.deepEqual(assignments.actions, [on('openTransport', unused), anywhere])
    assert.deepEqual(down.actions, [on('testTransport', failing), on('openTransport', failing)])
    assert.deepEqual(reached.actions, [on('openLimit', ses)])

    await count(minute, 'accepted', 1)
    await service.app.storage.tables<QueueTables>().deleteFrom('queue_recipients').execute()
    await service.ask('PATCH', `/api/multipleTransports/${unused.id}/edit`, { isPublished: true })
    const repaired = await examineLater()
    for (const check of ['assignments', 'limits'])
      assert.equal(find(repaired, check).severity, 'ok')
    assert.ok(!repaired.findings.some((each: TestBody) => each.check === 'transports'))
    await service.ask('DELETE', `/api/limits/${ses.id}/delete`)
  })

  test('hint at transports whose events no webhook receives, and name webhooks that refuse', async () => {
    const config = { port: 0, publicUrl: 'https://mail.example.com' }
    const service = await shared.openAnother({ config })
    const examineEvents = async () => {
      shared.clock.advance(6_000)
      const report = await examine(service)
      const findings = report.findings.filter(({ check }: TestBody) => check === 'events')
      assert.ok(findings.length <= 1)
      return findings[0]
    }
    const transport = await addTransport(service, { mailerDsn: 'sendgrid+api://KEY@default' })
    assert.equal(await examineEvents(), undefined)
    await sql`insert into delivery_count_changes (started_at, transport_id, source, outcome, change)
      values (${shared.clock.now() - 86_400_000}, ${transport.id}, 'smtp', 'accepted', 1)`.execute(
      service.app.storage.tables<unknown>(),
    )
    const hint = await examineEvents()
    assert.equal(hint.severity, 'ok')
    assert.ok(hint.detail.includes(`"${transport.name}"`), hint.detail)
    const address = `/api/multipleTransports/${transport.id}/webhook`
    const { webhook } = (await service.ask('PUT', address, {})).body
    assert.equal(await examineEvents(), undefined)
    const { pathname } = new URL(webhook.url)
    await service.ask('POST', pathname, '[]', { as: 'anonymous' })
    await service.app.events.counts.idle()
    const refused = await examineEvents()
    assert.equal(refused.severity, 'warning')
    const action = { action: 'openTransport', id: transport.id, name: transport.name }
    assert.deepEqual(refused.actions, [action])
    await service.ask('DELETE', `/api/multipleTransports/${transport.id}/delete`)
    assert.equal(await examineEvents(), undefined)
  })

  test('name what waits for a transport, and a Mautic without one', async () => {
    const { service } = shared
    const values = { url: 'http://127.0.0.1:1', clientId: 'id', clientSecret: 'secret' }
    const { body } = await service.ask('POST', '/api/mautics/new', { name: 'brand', ...values })
    const db = service.app.storage.tables<QueueTables>()
    const wait = async (count: number, message: Omit<TestMessage, 'recipient'>) => {
      const recipient = Array.from({ length: count }, (_, index) => `${index}@waiting.test`)
      await addQueued(service, shared.clock.now(), { ...message, recipient, state: 'held' })
    }
    await wait(1, {})
    const none = await examineLater()
    assert.ok(!none.findings.some((each: TestBody) => each.check === 'waiting messages'))
    await wait(3, { mautic_id: body.mautic.id })
    await wait(2, { sender: 'shop@own.test' })
    const waiting = db.updateTable('queue_recipients').set({ waits_for: noTransport })
    await waiting.where('address_key', 'like', '%@waiting.test').execute()
    const report = await examineLater()
    const { severity, detail } = find(report, 'waiting messages')
    assert.equal(severity, 'problem')
    assert.match(detail, /^6 messages .* 3 of the Mautic "brand";\n2 from shop@own\.test/)
    assert.match(find(report, 'Mautic transports').detail, /"brand"/)
    await db.deleteFrom('queue_recipients').execute()
    await service.ask('DELETE', `/api/mautics/${body.mautic.id}/delete`)
  })
})

onEachDatabase(
  'the findings after an upgrade by another process',
  { config: { port: 0 } },
  (shared) => {
    test('say that this process is to be restarted', async () => {
      const db = shared.service.app.storage.tables<unknown>()
      await sql`insert into migrations values ('99.00.00_later', '2999-01-01')`.execute(db)
      const { detail, severity } = find(await examine(shared.service), 'database')
      assert.equal(severity, 'problem')
      assert.match(detail, /newer Mailyard/)
    })
  },
)
