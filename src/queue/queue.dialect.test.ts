import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { adminPassword } from '../../test/administrator.ts'
import { onEachDatabase, type SharedApp } from '../../test/on-each-database.ts'
import { openTestStore } from '../../test/queue/open-test-store.ts'
import { runMaintenance } from '../../test/run-maintenance.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import { type Dialogue, openDialogue } from '../../test/smtp-dialogue.ts'
import { until } from '../../test/until.ts'
import type { SmtpMode } from '../kit/smtp-mode.ts'
import type { QueueRecipientRow, QueueTables } from './table.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A client, an upstream server and a look into the queue, for the tests of one mode. */
function useQueue(shared: SharedApp) {
  const server = useScriptedServer()
  const clients: Dialogue[] = []
  let port = 0
  let count = 0
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
    const transport = { name: 'T', mailerDsn: server.dsn }
    await shared.service.ask('POST', '/api/multipleTransports/new', transport)
  })
  beforeEach(() => {
    server.act = () => undefined
    server.gate = undefined
  })
  after(() => {
    for (const client of clients) client.destroy()
  })
  const submit = async (to: string | readonly string[], head = '', submissionPort = port) => {
    const client = await openDialogue(submissionPort)
    clients.push(client)
    await client.say('EHLO client.test')
    assert.match(await client.logIn('admin', adminPassword), /^235 /)
    count += 1
    const id = head.includes('Message-ID') ? '' : `Message-ID: <${count}@queue.test>\r\n`
    const named = head.includes('X-Mailyard-Transport') ? '' : 'X-Mailyard-Transport: T\r\n'
    const raw = `From: a@b.test\r\n${named}${id}${head}\r\nHello`
    return client.hand({ to: [to].flat(), raw })
  }
  /** The outcomes of the attempts to an address, the first one first. */
  const outcomes = async (address: string): Promise<string[]> => {
    const { body } = await shared.service.ask('GET', `/api/deliveries?recipient=${address}`)
    return body.deliveries.map((each: { outcome: string }) => each.outcome).reverse()
  }
  const tables = () => shared.service.app.storage.tables<QueueTables>()
  const rowOf = (address: string) => {
    const query = tables().selectFrom('queue_recipients').selectAll()
    return query.where('address', '=', address).executeTakeFirst()
  }
  type Row = Awaited<ReturnType<typeof rowOf>>
  const untilRow = (address: string, isReached: (row: Row) => boolean) =>
    until(() => rowOf(address), isReached)
  const messages = () => tables().selectFrom('queue_messages').selectAll().execute()
  /** Does what is due each minute. */
  const tidy = async () => {
    const { storage } = shared.service.app
    await runMaintenance(storage, shared.clock)
    const store = openTestStore(storage, 'tidy')
    const before = shared.clock.now() - 90 * 24 * hourMs
    await store.removeOldUncertain({ before, limit: 100 })
  }
  const timesTaken = (address: string) => server.taken.filter((each) => each === address).length
  const untilRow = async (
    address: string,
    isReached: (row: QueueRecipientRow | undefined) => boolean,
  ) => {
    await until(async () => isReached(await rowOf(address)), `the state of ${address}`)
    return rowOf(address)
  }
  return {
    server,
    submit,
    outcomes,
    rowOf,
    messages,
    tidy,
    timesTaken,
    untilRow,
    untilTried: (address: string, attempts = 1) =>
      untilRow(address, (row) => row?.attempts === attempts),
    untilGone: (address: string) => untilRow(address, (row) => row === undefined),
    untilEmpty: () => until(async () => (await messages()).length === 0, 'the queue is empty'),
  }
}

const optionsOf = (smtpMode: SmtpMode) => ({ intervals: quickIntervals, config: { smtpMode } })

onEachDatabase('a message in the mode queue', optionsOf('queue'), (shared) => {
  const { clock } = shared
  const queue = useQueue(shared)
  const { server, submit, rowOf, outcomes, untilRow, untilTried, untilGone, untilEmpty } = queue

  test('is answered 250 and delivered, and its stored body is deleted', async () => {
    assert.match(await submit('ann@plain.test'), /^250 2\.0\.0 Stored as message \d+/)
    await until(async () => (await outcomes('ann@plain.test'))[0] === 'accepted', 'it is accepted')
    await untilEmpty()
    assert.equal(queue.timesTaken('ann@plain.test'), 1)
  })

  test('is encrypted while it waits', async () => {
    server.act = () => ({ code: 451, text: '4.3.0 later' })
    await submit('secret@plain.test', 'Subject: plainly visible\r\n')
    await untilTried('secret@plain.test')
    for (const { body } of await queue.messages())
      assert.doesNotMatch(Buffer.from(body).toString('latin1'), /plainly visible/)
  })

  test('that is refused for now is tried again, later each time, and delivered once', async () => {
    server.act = () => ({ code: 451, text: '4.3.0 later' })
    assert.match(await submit('retry@plain.test'), /^250 /)
    const first = await untilTried('retry@plain.test')
    assert.match(first?.problem ?? '', /^451 4\.3\.0 /)
    clock.advance(40_000)
    const second = await untilTried('retry@plain.test', 2)
    assert.ok((second?.due_at ?? 0) - clock.now() > 40_000, 'the second wait is longer')
    server.act = () => undefined
    clock.advance(2 * minuteMs)
    await untilGone('retry@plain.test')
    assert.deepEqual(await outcomes('retry@plain.test'), ['deferred', 'deferred', 'accepted'])
    assert.equal(queue.timesTaken('retry@plain.test'), 1)
  })

  test('that is submitted twice is stored once', async () => {
    server.act = () => ({ code: 451, text: '4.3.0 later' })
    const head = 'Message-ID: <twice@queue.test>\r\n'
    const first = await submit('twice@plain.test', head)
    const id = /message (\d+)/.exec(first)?.[1]
    assert.equal(await submit('twice@plain.test', head), `250 2.0.0 Stored before as message ${id}`)
    await untilTried('twice@plain.test')
    server.act = () => undefined
    clock.advance(2 * minuteMs)
    await untilGone('twice@plain.test')
    assert.match(await submit('twice@plain.test', head), /^250 /)
    await untilEmpty()
    assert.equal(queue.timesTaken('twice@plain.test'), 1)
  })

  test('with an uncertain outcome stays until its delivery is settled, however late', async () => {
    server.act = () => 'hang up'
    await submit('old@plain.test')
    await untilRow('old@plain.test', (row) => row?.state === 'uncertain')
    server.act = () => undefined
    clock.advance(100 * hourMs)
    await queue.tidy()
    assert.equal((await rowOf('old@plain.test'))?.state, 'uncertain')
    const { body } = await shared.service.ask('GET', '/api/deliveries?recipient=old@plain.test')
    const path = `/api/deliveries/${body.deliveries[0].id}/settle`
    assert.equal((await shared.service.ask('POST', path, { outcome: 'deferred' })).status, 200)
    await untilGone('old@plain.test')
    assert.equal(queue.timesTaken('old@plain.test'), 1)
  })

  test('without a Message-ID is sent again minutes after it was delivered', async () => {
    const alert = 'Subject: full, without Message-ID\r\n'
    server.act = () => ({ code: 451, text: '4.3.0 later' })
    await submit('alert@plain.test', alert)
    await untilTried('alert@plain.test')
    server.act = () => undefined
    clock.advance(minuteMs)
    await untilGone('alert@plain.test')
    clock.advance(6 * minuteMs)
    await queue.tidy()
    await submit('alert@plain.test', alert)
    await until(() => queue.timesTaken('alert@plain.test') === 2, 'it is sent again')
  })

  test('to many recipients is stored once, and each gets it', async () => {
    const to = Array.from({ length: 20 }, (_, index) => `${index}@many.test`)
    assert.match(await submit(to), /^250 /)
    await untilEmpty()
    for (const address of to) assert.deepEqual(await outcomes(address), ['accepted'])
  })
})

onEachDatabase('a message in the mode hybrid', optionsOf('hybrid'), (shared) => {
  const { clock } = shared
  const queue = useQueue(shared)
  const { server, submit, rowOf, outcomes, untilGone } = queue

  test("is answered with the server's words if it accepts, and nothing is stored", async () => {
    assert.match(await submit('ann@hybrid.test'), /^250 2\.0\.0 Accepted/)
    assert.deepEqual(await queue.messages(), [])
  })

  test('is refused if the server refuses it for good', async () => {
    server.act = () => ({ code: 550, text: '5.1.1 unknown' })
    assert.match(await submit('gone@hybrid.test'), /^550 5\.1\.1 unknown/)
    assert.deepEqual(await queue.messages(), [])
  })

  test('is stored if the server refuses it for now', async () => {
    server.act = () => ({ code: 451, text: '4.3.0 later' })
    assert.match(await submit('later@hybrid.test'), /^250 2\.0\.0 Stored as message \d+/)
    assert.equal((await rowOf('later@hybrid.test'))?.attempts, 1)
    server.act = () => undefined
    clock.advance(minuteMs)
    await untilGone('later@hybrid.test')
    assert.deepEqual(await outcomes('later@hybrid.test'), ['deferred', 'accepted'])
  })

  test('is answered 250 if only some recipients are refused, and repeated for none', async () => {
    server.act = (to) =>
      to === 'gone@mixed.test' ? { code: 550, text: '5.1.1 unknown' } : undefined
    assert.match(await submit(['ann@mixed.test', 'gone@mixed.test']), /^250 2\.0\.0 Accepted/)
    assert.match(await submit(['gone@mixed.test', 'ben@mixed.test']), /^250 2\.0\.0 Refused/)
    assert.deepEqual(await outcomes('ben@mixed.test'), ['accepted'])
    assert.deepEqual(await queue.messages(), [])
  })

  test('with an uncertain outcome is answered 250 and waits for a person', async () => {
    server.act = () => 'hang up'
    assert.match(await submit('broken@hybrid.test'), /^250 2\.0\.0 Stored/)
    assert.equal((await rowOf('broken@hybrid.test'))?.state, 'uncertain')
    clock.advance(100 * 24 * hourMs)
    await queue.tidy()
    assert.equal(await rowOf('broken@hybrid.test'), undefined, 'its delivery is deleted')
  })

  test('is stored if the server is slow, and the attempt in progress delivers it', async () => {
    const gate = Promise.withResolvers<void>()
    server.gate = gate.promise
    const config = { smtpMode: 'hybrid' as const, smtpWaitSeconds: 0 }
    const { port } = await (await shared.openAnother({ config })).openSmtpServer()
    const reply = await submit('slow@hybrid.test', '', port)
    assert.match(reply, /^250 2\.0\.0 Stored as message \d+/)
    assert.equal((await rowOf('slow@hybrid.test'))?.state, 'claimed')
    gate.resolve()
    await untilGone('slow@hybrid.test')
    assert.deepEqual(await outcomes('slow@hybrid.test'), ['accepted'])
    assert.equal(queue.timesTaken('slow@hybrid.test'), 1)
  })
})
