import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { useBrandCallers } from '../../../../test/brand-callers.ts'
import { addTransport, uniqueName } from '../../../../test/callers.ts'
import { addMautic } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { askForEvents, listPublished } from '../../../../test/published-events.ts'
import {
  type AcceptedDeliveries,
  addAccepted,
  bounceAgain,
} from '../../../../test/queue/accepted-deliveries.ts'
import { type QueuedSubmission, submitQueued } from '../../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../../test/scripted-server.ts'
import type { TestApp, TestBody } from '../../../../test/test-app.ts'
import type { SmtpMode } from '../../../kit/smtp-mode.ts'
import { silentLog } from '../../delivery/log/simulated-process.case.test.ts'
import { type BrakedDelivery, BulkBrakes } from './bulk-brakes.ts'
import { filterOf, groupOf } from './bulk-group.ts'

const minuteMs = 60_000

onEachDatabase('the brake of bulk messages', { isOwn: true }, (shared) => {
  const server = useScriptedServer()
  const refuse = { code: 550, text: '5.1.1 no such user' }
  const { ask } = shared
  const callers = useBrandCallers(shared)
  let transport: { id: number; name: string }
  let domain = ''
  beforeEach(async () => {
    server.act = () => undefined
    transport = await addTransport(shared.service, { mailerDsn: server.dsn })
    domain = `${uniqueName('domain')}.test`
  })

  const idle = () => shared.service.app.idle()
  const submitOnly = (message: QueuedSubmission = {}) => {
    const own = { transport: transport.name, sender: `news@${domain}`, isBulk: true }
    return submitQueued(shared.service, { ...own, ...message })
  }
  /** Submits a message and sends what is due; returns its recipient. */
  const submit = async (message: QueuedSubmission = {}) => {
    const to = await submitOnly(message)
    await idle()
    return to
  }
  const findBrake = async (): Promise<TestBody | undefined> => {
    const { brakes } = (await ask('GET', '/api/queue/brakes')).body
    return brakes.find(({ senderDomain }: TestBody) => senderDomain === domain)
  }
  const getBrake = async (): Promise<TestBody> => (await findBrake()) ?? assert.fail('no brake')
  const isHeld = async (to: string): Promise<boolean> =>
    (await ask('GET', `/api/queue/messages?state=held&recipient=${to}`)).body.messages.length === 1
  const brake = async (mode: SmtpMode = 'queue') => {
    server.act = () => refuse
    const reply = /^(250|550|451) /
    await Promise.all(Array.from({ length: 60 }, () => submitOnly({ mode, reply })))
    await settle()
    server.act = () => undefined
  }
  /** Looks at the groups, once the outcomes can be read. */
  const settle = async () => {
    await idle()
    shared.clock.advance(minuteMs)
    await idle()
  }

  test('holds those of one sender domain and transport, and what comes later, until a person continues', async () => {
    await brake()
    const braked = await getBrake()
    assert.deepEqual([braked.transport, braked.transportId], [transport.name, transport.id])
    assert.equal(braked.kind, 'refusals')
    assert.ok(braked.affected >= 50 && braked.messages === braked.affected, braked.problem)
    const later = await submit({ sender: `News@${domain.toUpperCase()}` })
    assert.ok(await isHeld(later))
    // Others go on: transactional messages, and those of another domain.
    for (const other of [{ isBulk: false }, { sender: `news@other-${domain}` }])
      assert.ok(server.taken.includes(await submit(other)))
    assert.ok(!server.taken.includes(later))

    const { findings } = (await ask('GET', '/api/health/findings')).body
    const finding = findings.find(({ check }: TestBody) => check === 'bulk messages')
    assert.match(finding.detail, new RegExp(`${domain} through ".+ for good \\(100 %\\)`))

    const continued = await ask('POST', `/api/queue/brakes/${braked.id}/continue`, {})
    assert.ok(continued.body.changed >= 1, continued.text)
    await idle()
    assert.ok(server.taken.includes(later))
    assert.equal(await findBrake(), undefined)
    const again = await ask('POST', `/api/queue/brakes/${braked.id}/continue`, {})
    assert.equal(again.status, 404)
  })

  test('holds the messages of one brand, and not those of another through the same transport; only its callers see it', async () => {
    const { own, other } = callers
    const ofBrand = ({ brand }: typeof own) => ({ id: mauticId, name: 'M', brand })
    const submitAs = (caller: typeof own) => submit({ mautic: ofBrand(caller) })
    const mauticId = (await addMautic(shared.service)).id
    server.act = () => refuse
    const refused = Array.from({ length: 60 }, () => submitOnly({ mautic: ofBrand(own) }))
    await Promise.all(refused)
    await settle()
    server.act = () => undefined
    const held = await submitAs(own)
    assert.ok(server.taken.includes(await submitAs(other)))
    assert.ok(server.taken.includes(await submit()))
    assert.ok(!server.taken.includes(held))
    const { id, brand } = await getBrake()
    assert.equal(brand, own.brand)
    const list = (caller: typeof own) => caller.ask('GET', '/api/queue/brakes')
    assert.deepEqual((await list(other)).body.brakes, [])
    assert.deepEqual(
      (await list(own)).body.brakes.map((each: TestBody) => each.id),
      [id],
    )
    for (const action of ['try', 'continue', 'cancel'])
      assert.equal((await other.ask('POST', `/api/queue/brakes/${id}/${action}`, {})).status, 404)
    assert.equal((await own.ask('POST', `/api/queue/brakes/${id}/cancel`, {})).body.changed, 1)
    assert.equal(await findBrake(), undefined)
  })

  test('a message of a log-in of all brands gets the brand of its transport, and is held and cancelled with it', async () => {
    const { own } = callers
    const edit = `/api/multipleTransports/${transport.id}/edit`
    assert.equal((await ask('PATCH', edit, { brand: own.brand })).status, 200)
    server.act = () => ({ code: 451, text: '4.7.1 later' })
    const find = async (to: string) => {
      const { messages } = (await own.ask('GET', `/api/queue/messages?recipient=${to}`)).body
      return [messages[0].state, messages[0].brand]
    }
    const deferred = await submitOnly({ mode: 'hybrid' })
    assert.deepEqual(await find(deferred), ['deferred', own.brand])
    await brake()
    assert.deepEqual(await find(await submit()), ['held', own.brand])
    const { id, brand } = await getBrake()
    assert.equal(brand, own.brand)
    assert.equal((await ask('POST', `/api/queue/brakes/${id}/cancel`, {})).body.changed, 2)
    assert.equal(await findBrake(), undefined)
  })

  test('sends the ten oldest to try, and holds the others, and a tried one that is deferred', async () => {
    await brake()
    const held: string[] = []
    while (held.length < 12) held.push(await submit())
    server.act = (to) => (to === held[1] ? { code: 451, text: '4.7.1 later' } : undefined)
    const { id } = await getBrake()
    const tried = await ask('POST', `/api/queue/brakes/${id}/try`, {})
    assert.deepEqual(tried.body, { changed: 10, left: 0, isDone: true })
    await settle()
    const isTaken = held.map((to) => server.taken.includes(to))
    assert.deepEqual(isTaken, [true, false, ...Array(8).fill(true), false, false])
    assert.ok(await isHeld(String(held[1])))
    assert.ok(await findBrake())
  })

  test('keeps what a person holds when the group continues', async () => {
    await brake()
    const [kept, released] = [await submit(), await submit()]
    assert.ok((await isHeld(kept)) && (await isHeld(released)))
    const hold = await ask('POST', '/api/queue/hold', { recipient: kept })
    assert.equal(hold.body.changed, 1, hold.text)
    const { id } = await getBrake()
    await ask('POST', `/api/queue/brakes/${id}/continue`, {})
    await idle()
    assert.ok(server.taken.includes(released))
    assert.ok(await isHeld(kept))
    assert.ok(!server.taken.includes(kept))
  })

  test('counts attempts while the client waits, and holds what it submits then', async () => {
    await brake('hybrid')
    const later = await submit({ mode: 'hybrid' })
    assert.ok(await isHeld(later))
    assert.ok(!server.taken.includes(later))
  })

  test('counts attempts in the mode direct too, and answers 451 then', async () => {
    await brake('direct')
    const to = await submitOnly({ mode: 'direct', reply: /^451 4\.3\.2$/ })
    assert.ok(!server.taken.includes(to))
  })

  const logged = (deliveries: Partial<AcceptedDeliveries>) =>
    addAccepted(shared.service, {
      transport_id: transport.id,
      sender: `news@${domain}`,
      is_bulk: true,
      count: 300,
      started_at: shared.clock.now(),
      ...deliveries,
    })
  const bounces = (count: number) => ({ type: 'bounced' as const, class: 'hard' as const, count })
  const complaints = (count: number) => ({ type: 'complained' as const, count })
  /** Looks at the groups of these deliveries once, as another process would. */
  const look = async (
    deliveries: readonly BrakedDelivery[],
    { app: { storage, published: events } }: TestApp = shared.service,
  ) => {
    const brakes = new BulkBrakes({ storage, clock: shared.clock, log: silentLog, events })
    await brakes.start()
    brakes.noteEvents(deliveries)
    shared.clock.advance(1_000)
    await brakes.looking.run()
    await brakes.stop()
    return brakes
  }

  test('holds them when too many of the last accepted ones bounced, for now or for good, until a person continues', async () => {
    const hard = bounces(15)
    const noted = await logged({ events: [hard, { ...hard, class: 'soft' }] })
    await bounceAgain(shared.service, noted)
    await settle()
    const { id, kind, messages, affected, problem } = await getBrake()
    assert.deepEqual([kind, messages, affected], ['bounces', 200, 30])
    assert.match(problem, /30 of the last 200 .*15 %/)
    const bulk = await submit()
    assert.ok(await isHeld(bulk))

    // It does not hold them again for the same events, also when they come again.
    await ask('POST', `/api/queue/brakes/${id}/continue`, {})
    await idle()
    assert.ok(server.taken.includes(bulk))
    await look(noted)
    assert.equal(await findBrake(), undefined)
    // Messages that are accepted from here on count.
    shared.clock.advance(1_000)
    await look(await logged({ count: 180, events: [bounces(100)] }))
    assert.equal(await findBrake(), undefined)
    await look(await logged({ count: 30, events: [bounces(1)] }))
    assert.equal((await getBrake()).affected, 101)
  })

  test('holds them when too many recipients complained, also if these were the first', async () => {
    await look(await logged({ count: 12, events: [complaints(12)] }))
    await look(await logged({ count: 187 }))
    assert.equal(await findBrake(), undefined)
    await look(await logged({ count: 251 }))
    const { kind, messages, affected } = await getBrake()
    assert.deepEqual([kind, messages, affected], ['complaints', 450, 12])
  })

  test('does not hold them for complaints by mail, which every recipient can write, but for bounces by mail', async () => {
    const byMail = { source: 'mail' as const }
    await look(await logged({ events: [{ ...complaints(100), ...byMail }] }))
    assert.equal(await findBrake(), undefined)
    await look(await logged({ events: [{ ...bounces(100), ...byMail }] }))
    assert.equal((await getBrake()).kind, 'bounces')
  })

  test('does not hold them for 5 % of bounces, for guesses, or for transactional messages', async () => {
    for (let part = 0; part < 5; part += 1)
      await look(await logged({ count: 200, events: [bounces(10)] }))
    await look(await logged({ events: [{ ...bounces(100), is_guess: true }] }))
    await look(await logged({ events: [bounces(300)], is_bulk: false }))
    await logged({ count: 100, outcome: 'refused', is_bulk: false })
    await look(await logged({ count: 1, events: [bounces(1)] }))
    assert.equal(await findBrake(), undefined)
  })

  test('counts nothing of another sender domain, brand, Mautic or transport', async () => {
    await logged({ count: 200 })
    const events = [bounces(200)]
    const other = await addTransport(shared.service, { mailerDsn: server.dsn })
    await logged({ events, sender: `news@other-${domain}` })
    await logged({ events, brand_id: 7 })
    await logged({ events, mautic_id: 7 })
    await logged({ events, transport_id: other.id })
    await look(await logged({ count: 1, events: [bounces(1)] }))
    assert.equal(await findBrake(), undefined)
  })

  test('holds them once in all processes and after a restart, and publishes it once', async () => {
    const other = await shared.openAnother()
    await askForEvents(shared.service, ['brake.applied'])
    await other.app.webhooks.publisher.reload()
    const noted = await logged({ events: [bounces(60)] })
    await Promise.all([shared.service, other].map((service) => look(noted, service)))
    const { id } = await getBrake()
    const message = { lane: 'bulk' as const, sender: `news@${domain}`, mautic_id: 0 }
    const restarted = await look([])
    const route = { transportId: transport.id, brand: 0 }
    assert.equal(restarted.find(message, route)?.brakeId, id)
    assert.equal(restarted.find({ ...message, lane: 'transactional' }, route), undefined)
    assert.equal(restarted.find({ ...message, mautic_id: 1 }, route), undefined)
    assert.equal(restarted.find(message, { ...route, brand: 1 }), undefined)
    assert.equal(restarted.find(message, { ...route, transportId: null }), undefined)
    const published = await listPublished(shared.service, 'brake.applied', `brake ${id}`)
    const { id: transportId, name } = transport
    const publishedFacts = published.map(({ message: _text, ...facts }) => facts)
    assert.deepEqual(publishedFacts, [
      { brakeId: id, senderDomain: domain, transportId, transport: name },
    ])
  })
})

test('no group has a filter of the queue that would be wider', () => {
  const route = { transportId: 9, brand: 2 }
  for (const sender of ['', 'plain', 'a@', 'a@*', 'a@b*.test', 'a@b c'])
    assert.equal(groupOf({ lane: 'bulk', sender, mautic_id: 0 }, route), undefined)
  const filter = filterOf({ mauticId: 3, senderDomain: 'b.test', ...route })
  const expected = { lane: 'bulk', mauticId: 3, brands: [2], transportId: 9, sender: '*@b.test' }
  assert.deepEqual(filter, expected)
})
