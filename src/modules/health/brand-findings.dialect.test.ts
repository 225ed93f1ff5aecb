import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { addBrandUser } from '../../../test/brand-callers.ts'
import { addEmail, addTemplate, addTransport } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { addBrand, connectMautic } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { addQueued } from '../../../test/queue/test-queue.ts'
import type { TestBody, TestCaller } from '../../../test/test-app.ts'
import { noTransport } from '../../core/delivery/table.ts'

// Nothing goes on beside the tests.
onEachDatabase('the findings of brands', { isOwn: true, isStarted: false }, (shared) => {
  const tables = () => shared.service.app.storage.tables<unknown>()
  let brand: number
  let other: number
  let own: TestCaller
  let none: TestCaller
  before(async () => {
    brand = await addBrand(shared.service)
    other = await addBrand(shared.service)
    own = (await addBrandUser(shared.service, [brand])).as
    none = (await addBrandUser(shared.service, [await addBrand(shared.service)])).as
  })
  /** Examines with a report that is not older, as `as`. */
  const examine = (as?: TestCaller) =>
    shared.askFor('GET', '/api/health/findings', undefined, as === undefined ? {} : { as })
  const expire = () => void shared.clock.advance(6_000)
  /** A check that takes seconds is left out: it is made again. */
  const findingsOf = async (as?: TestCaller): Promise<TestBody[]> => {
    const { findings } = await examine(as)
    if (findings.every((each: TestBody) => !each.detail.includes('not finished'))) return findings
    expire()
    return findingsOf(as)
  }
  const failAttempts = async (transportId: number, count: number) => {
    const now = shared.clock.now()
    await sql`insert into delivery_count_changes (started_at, transport_id, source, outcome, change)
      values (${now - (now % 60_000)}, ${transportId}, 'smtp', 'refused', ${count})`.execute(
      tables(),
    )
  }

  /** Makes a finding of each check that looks at records, all of them with the name. */
  async function breakAll(ofBrand: number, name: string) {
    const { service } = shared
    const more = { brand: ofBrand }
    const sender = `${name}@${name}.test`
    const transport = await addTransport(service, { name, ...more })
    await failAttempts(transport.id, 3)
    const { id: unread } = await addTransport(service, { name: `${name} unread`, ...more })
    await sql`update transports set mailer_dsn = 'none' where id = ${unread}`.execute(tables())
    const ending = 'smtp://me%40example.com:S3cret@smtp.office365.com:587'
    await addTransport(service, { name: `${name} ends`, mailerDsn: ending, ...more })
    const old = await addTransport(service, { name: `${name} old`, isPublished: false, ...more })
    const { id: email } = await addEmail(service, { name, ...more })
    const assign = `/api/multipleTransport/transportEmail/${email}`
    await service.askFor('POST', assign, { transportId: old.id })
    await logDeliveries(service, [{ outcome: 'uncertain', recipient: sender, brand_id: ofBrand }])
    for (let count = 0; count < 2; count += 1) await addTemplate(service, { name, ...more })
    const { id: template } = await addTemplate(service, { name: `${name} gone`, ...more })
    await addEmail(service, { name, customHtml: `{twigtemplate=${template}}`, ...more })
    await service.ask('DELETE', `/api/twigTemplates/${template}/delete?force=1`)
    const mautic = await connectMautic(
      service,
      { url: 'http://127.0.0.1:1', client: { clientId: 'id', clientSecret: 'x' } },
      { name, ...more },
    )
    await sql`update mautic_states set problem = ${name}, problem_since = 1 where mautic_id = ${mautic.id}`.execute(
      tables(),
    )
    const hook = { name, url: 'http://127.0.0.1:1/', events: ['limit.reached'], ...more }
    const { webhook } = await service.askFor('POST', '/api/webhooks/new', hook)
    await sql`insert into webhook_states (webhook_id, failing_since, problem)
      values (${webhook.id}, 1, 'gone')`.execute(tables())
    await sql`insert into transport_webhooks (transport_id, provider, secret, created_at, problem)
      values (${transport.id}, 'sendgrid', '', 1, ${name})`.execute(tables())
    await sql`insert into queue_brakes (brand_id, sender_domain, transport_id, kind, messages, affected, braked_at)
      values (${ofBrand}, ${sender}, ${transport.id}, 'refused', 9, 9, 1)`.execute(tables())
    const waiting = { sender, recipient: sender, waits_for: noTransport, state: 'held' as const }
    await addQueued(service, shared.clock.now(), waiting)
    await sql`update queue_recipients set brand_id = ${ofBrand} where address = ${sender}`.execute(
      tables(),
    )
  }
  const checks = [
    'DSNs',
    'log-ins',
    'uncertain deliveries',
    'bulk messages',
    'events',
    'waiting messages',
    'Mautic transports',
    'transports',
    'Mautic',
    'webhooks',
    'templates of one name',
    'assignments',
    'templates of emails',
  ]

  test('are those of their own brands, whatever others have', async () => {
    await breakAll(brand, 'ours')
    expire()
    const before = await findingsOf(own)
    const found = before.map(({ check }) => check)
    assert.deepEqual(
      checks.filter((check) => !found.includes(check)),
      [],
    )
    assert.ok(before.every((each) => each.brand === brand))
    await breakAll(other, 'theirs')
    await breakAll(0, 'anybody')
    expire()
    const after = await findingsOf(own)
    assert.deepEqual(
      after.filter((each) => each.brand !== undefined),
      before,
    )
    assert.ok(!JSON.stringify(after).includes('theirs'))
    const all = await findingsOf()
    for (const name of ['ours', 'theirs', 'anybody'])
      assert.ok(JSON.stringify(all).includes(name), name)
    const brandsOf = (check: string) =>
      all.filter((each) => each.check === check).map((each) => each.brand ?? 0)
    for (const check of checks)
      assert.deepEqual(new Set(brandsOf(check)), new Set([0, brand, other]), check)
  })

  test('of a transport without a brand say that it fails, without counts and words of others', async () => {
    const { id } = await addTransport(shared.service, { name: 'Pool' })
    await failAttempts(id, 1_234)
    const startedAt = shared.clock.now() - 1_000
    const reply = '550 5.1.1 <secret@rcpt.test> unknown'
    const failed = { transport_id: id, outcome: 'refused', reply, started_at: startedAt } as const
    await logDeliveries(shared.service, [{ ...failed, recipient: 'secret@rcpt.test' }])
    expire()
    for (const as of [own, none]) {
      const findings = await findingsOf(as)
      const shown = findings.filter((each) => each.brand === undefined)
      const pool = shown.find(({ detail }) => detail.includes('Pool'))
      assert.equal(pool?.detail, 'Attempts through "Pool" failed.')
      assert.doesNotMatch(JSON.stringify(findings), /1,234|rcpt\.test/)
      assert.deepEqual(
        new Set(shown.map(({ check }) => check)),
        new Set(['DSNs', 'log-ins', 'transports']),
      )
    }
    const all = await findingsOf()
    assert.ok(
      all.some(({ detail }) => detail.startsWith('1,23')),
      'callers of all brands see counts',
    )
    assert.ok(!JSON.stringify(all).includes('"shared"'))
  })

  test('come without what is of the installation: settings, versions, database and processes', async () => {
    const report = await examine(own)
    assert.deepEqual(
      [report.settings, report.versions, report.database, report.processes],
      [[], null, null, []],
    )
    const all = await examine()
    assert.equal(all.versions.node, process.version)
    assert.ok(all.database.sizeBytes > 0)
  })
})
