import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { submitMessage } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { askForEvents, listPublished } from '../../test/published-events.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import type { TestBody } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'
import { silentLog } from '../delivery/log/simulated-process.case.test.ts'
import type { SmtpMode } from '../kit/smtp-mode.ts'
import { BulkBrakes, filterOf } from './bulk-brakes.ts'

onEachDatabase(
  'the brake of bulk messages',
  (shared) => {
    const server = useScriptedServer()
    const refuse = { code: 550, text: '5.1.1 no such user' }
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
    let transport: { id: number; name: string }
    before(() => shared.service.app.start())
    beforeEach(async () => {
      server.act = () => undefined
      transport = await addTransport(shared.service, { mailerDsn: server.dsn })
    })

    let sent = 0
    const submit = async (
      sender: string,
      {
        isBulk = true,
        mode = 'queue',
        count = 1,
      }: { isBulk?: boolean; mode?: SmtpMode; count?: number } = {},
    ) => {
      const addresses: string[] = []
      for (let index = 0; index < count; index += 1) {
        sent += 1
        const to = `${sent}.${uniqueName('r')}@rcpt.test`
        const bulk = isBulk ? 'Precedence: bulk\n' : ''
        const text = `${bulk}X-Mailyard-Transport: ${transport.name}\nMessage-ID: <${to}>\n\nHello`
        const replies = await submitMessage(shared.service, undefined, { to, text, sender, mode })
        assert.match(String(replies), /^(250|550|451) /)
        addresses.push(to)
      }
      return addresses
    }
    const brakeOf = async (domain: string): Promise<TestBody | undefined> => {
      const { brakes } = (await ask('GET', '/api/queue/brakes')).body
      return brakes.find(({ senderDomain }: TestBody) => senderDomain === domain)
    }
    const held = async (domain: string) =>
      (await ask('GET', `/api/queue/messages?state=held&limit=1000&sender=*@${domain}`)).body
        .messages
    const isHeld = async (domain: string, to: string): Promise<boolean> =>
      (await held(domain)).some(({ recipient }: TestBody) => recipient === to)
    const brake = async (domain: string, mode: SmtpMode = 'queue') => {
      server.act = () => refuse
      await submit(`news@${domain}`, { count: 60, mode })
      await until(async () => (await brakeOf(domain)) !== undefined, 'the group is braked')
      server.act = () => undefined
    }

    test('holds those of one sender domain and transport, and what comes later, until a person continues', async () => {
      const domain = `${uniqueName('a')}.test`
      await brake(domain)
      const braked = (await brakeOf(domain)) ?? assert.fail('no brake')
      assert.deepEqual([braked.transport, braked.transportId], [transport.name, transport.id])
      assert.ok(braked.refused >= 50 && braked.attempts === braked.refused, `${braked.problem}`)
      const [later = ''] = await submit(`News@${domain.toUpperCase()}`)
      await until(() => isHeld(domain, later), 'what comes later is held')
      const items = await held(domain)
      assert.match(
        items[0].problem,
        /Held by the brake of bulk messages from .* for good \(100 %\)/,
      )
      // Others go on: transactional messages, and those of another domain.
      const others = [
        ...(await submit(`news@${domain}`, { isBulk: false })),
        ...(await submit(`news@other-${domain}`)),
      ]
      await until(() => others.every((to) => server.taken.includes(to)), 'others are sent')
      assert.ok(!server.taken.includes(later))

      const { findings } = (await ask('GET', '/api/health/findings')).body
      const finding = findings.find(({ check }: TestBody) => check === 'bulk messages')
      assert.match(finding.detail, new RegExp(`${domain} through transport ${transport.id}`))
      assert.ok(
        shared.service.logged.some((line) => line.includes('bulk messages held by their brake')),
      )

      const continued = await ask('POST', `/api/queue/brakes/${braked.id}/continue`, {})
      assert.ok(continued.body.changed >= 1, continued.text)
      await until(() => server.taken.includes(later), 'what was held is sent')
      assert.equal(await brakeOf(domain), undefined)
      const again = await ask('POST', `/api/queue/brakes/${braked.id}/continue`, {})
      assert.equal(again.status, 404)
    })

    test('that is cancelled deletes what waits, and the log has the outcome', async () => {
      const domain = `${uniqueName('c')}.test`
      await brake(domain)
      const [later = ''] = await submit(`news@${domain}`)
      await until(() => isHeld(domain, later), 'it is held')
      const { id } = (await brakeOf(domain)) ?? assert.fail('no brake')
      const { body } = await ask('POST', `/api/queue/brakes/${id}/cancel`, {})
      assert.equal(body.isDone, true)
      assert.ok(body.changed >= 1)
      assert.deepEqual([await brakeOf(domain), await held(domain)], [undefined, []])
      const found = await ask('GET', `/api/deliveries?recipient=${later}`)
      assert.equal(found.body.deliveries[0].outcome, 'cancelled')
    })

    test('keeps what a person holds when the group continues', async () => {
      const domain = `${uniqueName('k')}.test`
      await brake(domain)
      const [kept = '', released = ''] = await submit(`news@${domain}`, { count: 2 })
      await until(
        async () => (await isHeld(domain, kept)) && (await isHeld(domain, released)),
        'both are held',
      )
      const hold = await ask('POST', '/api/queue/hold', { recipient: kept })
      assert.equal(hold.body.changed, 1, hold.text)
      const { id } = (await brakeOf(domain)) ?? assert.fail('no brake')
      await ask('POST', `/api/queue/brakes/${id}/continue`, {})
      await until(() => server.taken.includes(released), 'what the brake held is sent')
      assert.ok(await isHeld(domain, kept))
      assert.ok(!server.taken.includes(kept))
    })

    test('counts attempts while the client waits, and holds what it submits then', async () => {
      const domain = `${uniqueName('h')}.test`
      await brake(domain, 'hybrid')
      const [later = ''] = await submit(`news@${domain}`, { mode: 'hybrid' })
      await until(() => isHeld(domain, later), 'it is held')
      assert.ok(!server.taken.includes(later))
    })

    test('counts attempts in the mode direct too, and answers 451 then', async () => {
      const domain = `${uniqueName('d')}.test`
      await brake(domain, 'direct')
      const to = `${uniqueName('r')}@rcpt.test`
      const text = `Precedence: bulk\nX-Mailyard-Transport: ${transport.name}\n\nHello`
      const sender = `news@${domain}`
      const direct = { to, text, sender, mode: 'direct' as const }
      const replies = await submitMessage(shared.service, undefined, direct)
      assert.deepEqual(replies, ['451 4.3.2'])
      assert.ok(!server.taken.includes(to))
    })

    const open = async () => {
      const { storage, events } = shared.service.app
      const brakes = new BulkBrakes({ storage, clock: shared.clock, log: silentLog, events })
      await brakes.start()
      return brakes
    }
    const reportOf = (transportId: number | null, isRefused: boolean) => ({
      address: 'a@b.test',
      transportId,
      ...(isRefused
        ? { state: 'refused' as const, reply: { code: 550, status: '5.1.1', text: 'no' } }
        : { state: 'accepted' as const, reply: { code: 250, status: '2.0.0', text: 'ok' } }),
    })

    test('holds from 20 % of 50 attempts on, for other processes and after a restart', async () => {
      const sender = `a@${uniqueName('p')}.test`
      const message = { lane: 'bulk' as const, sender, mautic_id: 0 }
      await askForEvents(shared.service, ['brake.applied'])
      const [one, other] = [await open(), await open()]
      for (let index = 0; index < 39; index += 1) one.count(message, reportOf(null, false))
      for (let index = 0; index < 10; index += 1) other.count(message, reportOf(null, true))
      await other.stop()
      await one.stop()
      const before50 = await open()
      assert.equal(before50.find(message, null), undefined)
      before50.count(message, reportOf(null, true))
      await before50.stop()
      const later = await open()
      assert.match(later.find(message, null)?.problem ?? '', /11 of 50 attempts .* \(22 %\)/)
      assert.equal(later.find({ ...message, lane: 'transactional' }, null), undefined)
      assert.equal(later.find(message, 7), undefined)
      const { brakeId } = later.find(message, null) ?? assert.fail('not held')
      const published = await listPublished(shared.service, 'brake.applied', `brake ${brakeId}`)
      const facts = published.map((data) => [data.senderDomain, data.transportId, data.transport])
      assert.deepEqual(facts, [[sender.slice(2), null, 'default']])
      await later.stop()
    })

    test('holds nothing of another Mautic, or of Mailyard itself, that has the same sender domain', async () => {
      const sender = `news@${uniqueName('m')}.test`
      const of = (mautic_id: number) => ({ lane: 'bulk' as const, sender, mautic_id })
      const brakes = await open()
      for (let index = 0; index < 60; index += 1) brakes.count(of(1), reportOf(5, true))
      await brakes.stop()
      assert.notEqual(brakes.find(of(1), 5), undefined)
      assert.deepEqual([brakes.find(of(2), 5), brakes.find(of(0), 5)], [undefined, undefined])
    })

    test('has no group that a filter of the queue would widen', async () => {
      const brakes = await open()
      for (const sender of ['', 'plain', 'a@', 'a@*', 'a@b*.test', 'a@b c'])
        for (let index = 0; index < 60; index += 1)
          brakes.count({ lane: 'bulk', sender, mautic_id: 0 }, reportOf(9, true))
      await brakes.stop()
      assert.ok((await brakes.list()).every(({ transportId }) => transportId !== 9))
      const filter = filterOf({ mauticId: 3, senderDomain: 'b.test', transportId: 9 })
      const expected = { lane: 'bulk', mauticId: 3, transportId: 9, sender: '*@b.test' }
      assert.deepEqual(filter, expected)
    })
  },
  { intervals: quickIntervals, isStarted: false },
)
