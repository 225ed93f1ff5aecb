import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { submitMessage } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { askForEvents, listPublished } from '../../test/published-events.ts'
import {
  type AcceptedDeliveries,
  addAccepted,
  bounceAgain,
} from '../../test/queue/accepted-deliveries.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import type { TestApp, TestBody } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'
import { silentLog } from '../delivery/log/simulated-process.case.test.ts'
import { BulkBrakes } from './bulk-brakes.ts'
import { type DeliveryWithEvent, EventBrakes } from './event-brakes.ts'

const dayMs = 86_400_000

onEachDatabase(
  'the brake of bulk messages for events',
  (shared) => {
    const server = useScriptedServer()
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
    let transport: { id: number; name: string }
    let domain = ''
    before(() => shared.service.app.start())
    beforeEach(async () => {
      transport = await addTransport(shared.service, { mailerDsn: server.dsn })
      domain = `${uniqueName('e')}.test`
    })

    const add = (deliveries: Partial<AcceptedDeliveries>) =>
      addAccepted(shared.service, {
        transport_id: transport.id,
        sender: `news@${domain}`,
        count: 300,
        started_at: shared.clock.now(),
        ...deliveries,
      })
    const bounces = (count: number) => ({ type: 'bounced' as const, class: 'hard' as const, count })
    const complaints = (count: number) => ({ type: 'complained' as const, count })
    const findBrake = async (service: TestApp = shared.service): Promise<TestBody | undefined> => {
      const { brakes } = (await service.ask('GET', '/api/queue/brakes')).body
      return brakes.find(({ senderDomain }: TestBody) => senderDomain === domain)
    }
    const getBrake = async (): Promise<TestBody> => (await findBrake()) ?? assert.fail('no brake')
    const submit = async (isBulk: boolean) => {
      const to = `${uniqueName('r')}@rcpt.test`
      const bulk = isBulk ? 'Precedence: bulk\n' : ''
      const text = `${bulk}X-Mailyard-Transport: ${transport.name}\nMessage-ID: <${to}>\n\nHello`
      const sender = `news@${domain}`
      await submitMessage(shared.service, undefined, { to, text, sender, mode: 'queue' })
      return to
    }
    const isHeld = async (to: string): Promise<boolean> =>
      (await ask('GET', `/api/queue/messages?state=held&sender=*@${domain}`)).body.messages.some(
        ({ recipient }: TestBody) => recipient === to,
      )
    /** Checks the group of these deliveries once, as another process would, and waits for it. */
    const check = async (
      deliveries: readonly DeliveryWithEvent[],
      { app: { storage, events } }: TestApp = shared.service,
    ) => {
      const { clock } = shared
      const groups = new BulkBrakes({ storage, clock, log: silentLog, events })
      const brakes = new EventBrakes({ storage, clock, log: silentLog, groups })
      brakes.noteEvents(deliveries)
      await brakes.stop()
    }

    test('holds them when too many of the last accepted ones bounced, for now or for good, until a person continues; transactional ones go on', async () => {
      const hard = bounces(15)
      const noted = await add({ events: [hard, { ...hard, class: 'soft' }] })
      await bounceAgain(shared.service, noted)
      await until(async () => (await findBrake()) !== undefined, 'the group is braked')
      const { kind, accepted, events, attempts, problem, transportId } = await getBrake()
      assert.deepEqual(
        [kind, accepted, events, attempts, transportId],
        ['bounces', 200, 30, 0, transport.id],
      )
      assert.equal(problem, '30 of the last 200 accepted messages bounced (15.0 %).')
      const bulk = await submit(true)
      await until(() => isHeld(bulk), 'bulk messages are held')
      const transactional = await submit(false)
      await until(() => server.taken.includes(transactional), 'transactional ones are sent')
      assert.ok(!server.taken.includes(bulk))

      const { findings } = (await ask('GET', '/api/health/findings')).body
      const details = findings.map(({ detail }: TestBody) => detail).join('\n')
      assert.match(
        details,
        new RegExp(`5 % of their last accepted messages bounced: .*${domain} through transport`),
      )
      const line = shared.service.logged.find(
        (each) => each.includes('held by their brake') && each.includes(domain),
      )
      assert.match(line ?? '', /"kind":"bounces".*"events":30,"accepted":200/)

      // It does not hold them again for the same events, also when they come again.
      await ask('POST', `/api/queue/brakes/${(await getBrake()).id}/continue`, {})
      await until(() => server.taken.includes(bulk), 'what was held is sent')
      await check(noted)
      assert.equal(await findBrake(), undefined)
      // Messages that are accepted from here on count.
      shared.clock.advance(1_000)
      const later = await add({ count: 190, events: [bounces(100)] })
      await check(later)
      assert.equal(await findBrake(), undefined)
      await add({ count: 10 })
      await check(later)
      assert.equal((await getBrake()).events, 100)
    })

    test('holds them when too many recipients complained', async () => {
      await check(await add({ events: [complaints(4)] }))
      assert.equal(await findBrake(), undefined)
      await check(await add({ count: 1, events: [complaints(1)] }))
      assert.equal(
        (await getBrake()).problem,
        '5 of the last 200 accepted messages were complained about (2.5 %).',
      )
    })

    test('does not hold them for 5 % of bounces, of guesses, or of few messages', async () => {
      for (let part = 0; part < 5; part += 1)
        await check(await add({ count: 200, events: [bounces(10)] }))
      await check(await add({ events: [{ ...bounces(100), is_guess: true }] }))
      assert.equal(await findBrake(), undefined)
      domain = `few.${domain}`
      await check(await add({ count: 199, events: [bounces(199)] }))
      assert.equal(await findBrake(), undefined)
    })

    test('finds a fault that begins late, and forgets one that is over', async () => {
      await add({ count: 2_000 })
      await check(await add({ count: 120, events: [bounces(30)] }))
      assert.equal((await getBrake()).accepted, 200)
      domain = `over.${domain}`
      const noted = await add({ count: 500, events: [bounces(500)] })
      await add({ count: 1_000 })
      await check(noted)
      assert.equal(await findBrake(), undefined)
    })

    test('counts nothing of another sender domain, Mautic or transport, or older than 30 days', async () => {
      await add({ count: 200 })
      const events = [bounces(200)]
      const other = await addTransport(shared.service, { mailerDsn: server.dsn })
      await add({ events, sender: `news@other-${domain}` })
      await add({ events, mautic_id: 7 })
      await add({ events, transport_id: other.id })
      await check(await add({ count: 1, events: [bounces(1)] }))
      assert.equal(await findBrake(), undefined)
      domain = `old.${domain}`
      await check(await add({ events, started_at: shared.clock.now() - 31 * dayMs }))
      assert.equal(await findBrake(), undefined)
    })

    test('holds them once in all processes, and publishes it once', async () => {
      const other = await shared.openAnother()
      await other.app.start()
      await askForEvents(shared.service, ['brake.applied'])
      await other.app.events.reload()
      const noted = await add({ events: [bounces(60)] })
      await Promise.all([shared.service, other].map((service) => check(noted, service)))
      await until(async () => (await findBrake(other)) !== undefined, 'the group is braked')
      const bulk = await submit(true)
      await until(() => isHeld(bulk), 'bulk messages are held')
      const brakes = (await ask('GET', '/api/queue/brakes')).body.brakes
      const own = brakes.filter(({ senderDomain }: TestBody) => senderDomain === domain)
      assert.equal(own.length, 1)
      const published = await listPublished(shared.service, 'brake.applied', `brake ${own[0].id}`)
      assert.deepEqual(published, [
        {
          brakeId: own[0].id,
          senderDomain: domain,
          transportId: transport.id,
          transport: transport.name,
          message: `Bulk messages from ${domain} are held: 60 of the last 200 accepted messages bounced (30.0 %). Find out why, then continue or cancel.`,
        },
      ])
    })

    test('looks again within a second at events that come while it looks', async () => {
      const few = await add({ events: [bounces(5)] })
      await bounceAgain(shared.service, few)
      await bounceAgain(shared.service, await add({ count: 40, events: [bounces(40)] }))
      await until(async () => (await findBrake()) !== undefined, 'the group is braked')
    })
  },
  { intervals: quickIntervals, isStarted: false },
)
