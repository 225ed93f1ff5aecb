import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { onEachDatabase, type SharedApp } from '../../../test/on-each-database.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import { dialAs } from '../../../test/smtp-dialogue.ts'
import type { TestBody } from '../../../test/test-app.ts'
import type { QueueTables } from './table.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A client, an upstream server and a look into the queue, for the tests of one mode. */
function useQueue(shared: SharedApp) {
  const server = useScriptedServer()
  let port = 0
  let count = 0
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
    await addTransport(shared.service, { name: 'T', mailerDsn: server.dsn })
  })
  beforeEach(() => {
    server.act = () => undefined
    server.gate = undefined
  })
  const submit = async (to: string | readonly string[], head = '', submissionPort = port) => {
    const client = await dialAs(submissionPort)
    count += 1
    const id = head.includes('Message-ID') ? '' : `Message-ID: <${count}@queue.test>\r\n`
    const raw = `From: a@b.test\r\nX-Mailyard-Transport: T\r\n${id}${head}\r\nHello`
    const reply = await client.hand({ to: [to].flat(), raw })
    client.destroy()
    return reply
  }
  /** The outcomes of the attempts to an address, the first one first. */
  const outcomes = async (address: string): Promise<string[]> => {
    const { body } = await shared.ask('GET', `/api/deliveries?recipient=${address}`)
    return body.deliveries.map((each: { outcome: string }) => each.outcome).reverse()
  }
  const tables = () => shared.service.app.storage.tables<QueueTables>()
  /** What the queue has of an address once nothing is due. */
  const settled = async (address: string) => {
    await shared.service.app.idle()
    const query = tables().selectFrom('queue_recipients').selectAll()
    return query.where('address', '=', address).executeTakeFirst()
  }
  const messages = () => tables().selectFrom('queue_messages').selectAll().execute()
  const timesTaken = (address: string) => server.taken.filter((each) => each === address).length
  const refuseForNow = () => {
    server.act = () => ({ code: 451, text: '4.3.0 later' })
  }
  return { server, submit, outcomes, settled, messages, timesTaken, refuseForNow }
}

onEachDatabase('a message in the mode queue', { config: { smtpMode: 'queue' } }, (shared) => {
  const { clock } = shared
  const queue = useQueue(shared)
  const { server, submit, outcomes, settled, timesTaken, refuseForNow } = queue

  test('is answered 250 and delivered, and its stored body is deleted', async () => {
    assert.match(await submit('ann@plain.test'), /^250 2\.0\.0 Stored as message \d+/)
    assert.equal(await settled('ann@plain.test'), undefined)
    assert.deepEqual(await outcomes('ann@plain.test'), ['accepted'])
    assert.deepEqual(await queue.messages(), [])
    assert.equal(timesTaken('ann@plain.test'), 1)
  })

  test('is encrypted while it waits, by a key that is known to be used', async () => {
    refuseForNow()
    await submit('secret@plain.test', 'Subject: plainly visible\r\n')
    assert.equal((await settled('secret@plain.test'))?.attempts, 1)
    const messages = await queue.messages()
    for (const { body } of messages)
      assert.doesNotMatch(Buffer.from(body).toString('latin1'), /plainly visible/)
    const keyIds = new Set(messages.map(({ key_id: keyId }) => keyId))
    assert.deepEqual(new Set(await shared.service.app.delivery.queue.findKeyIds()), keyIds)
  })

  test('that is refused for now is tried again, later each time, and delivered once', async () => {
    refuseForNow()
    assert.match(await submit('retry@plain.test'), /^250 /)
    const first = await settled('retry@plain.test')
    assert.equal(first?.attempts, 1)
    assert.match(first?.problem ?? '', /^451 4\.3\.0 /)
    clock.advance(40_000)
    const second = await settled('retry@plain.test')
    assert.equal(second?.attempts, 2)
    assert.ok((second?.due_at ?? 0) - clock.now() > 40_000, 'the second wait is longer')
    server.act = () => undefined
    clock.advance(2 * minuteMs)
    assert.equal(await settled('retry@plain.test'), undefined)
    assert.deepEqual(await outcomes('retry@plain.test'), ['deferred', 'deferred', 'accepted'])
    assert.equal(timesTaken('retry@plain.test'), 1)
  })

  test('that is submitted twice is stored once', async () => {
    refuseForNow()
    const head = 'Message-ID: <twice@queue.test>\r\n'
    const first = await submit('twice@plain.test', head)
    const id = /message (\d+)/.exec(first)?.[1]
    assert.equal(await submit('twice@plain.test', head), `250 2.0.0 Stored before as message ${id}`)
    assert.equal((await settled('twice@plain.test'))?.attempts, 1)
    server.act = () => undefined
    clock.advance(2 * minuteMs)
    assert.equal(await settled('twice@plain.test'), undefined)
    assert.match(await submit('twice@plain.test', head), /^250 /)
    assert.equal(await settled('twice@plain.test'), undefined)
    assert.equal(timesTaken('twice@plain.test'), 1)
  })

  test('with an uncertain outcome stays until its delivery is settled, however late', async () => {
    server.act = () => 'hang up'
    await submit('old@plain.test')
    assert.equal((await settled('old@plain.test'))?.state, 'uncertain')
    server.act = () => undefined
    clock.advance(100 * hourMs)
    assert.equal((await settled('old@plain.test'))?.state, 'uncertain')
    const { body } = await shared.ask('GET', '/api/deliveries?recipient=old@plain.test')
    const path = `/api/deliveries/${body.deliveries[0].id}/settle`
    assert.equal((await shared.ask('POST', path, { outcome: 'deferred' })).status, 200)
    assert.equal(await settled('old@plain.test'), undefined)
    assert.equal(timesTaken('old@plain.test'), 1)
  })

  test('without a Message-ID is sent again minutes after it was delivered', async () => {
    const alert = 'Subject: full, without Message-ID\r\n'
    refuseForNow()
    await submit('alert@plain.test', alert)
    assert.equal((await settled('alert@plain.test'))?.attempts, 1)
    server.act = () => undefined
    clock.advance(minuteMs)
    assert.equal(await settled('alert@plain.test'), undefined)
    clock.advance(6 * minuteMs)
    await shared.service.app.idle()
    await submit('alert@plain.test', alert)
    assert.equal(await settled('alert@plain.test'), undefined)
    assert.equal(timesTaken('alert@plain.test'), 2)
  })

  test('waits while its transport is held, of each lane, until that is released', async () => {
    const { id: transportId, name } = await addTransport(shared.service, { mailerDsn: server.dsn })
    const change = async (action: string) => {
      await shared.askFor('POST', `/api/queue/${action}`, { transportId })
    }
    const groupsOf = async (): Promise<TestBody[]> => {
      // The numbers are kept for some seconds.
      clock.advance(minuteMs)
      const { groups } = (await shared.ask('GET', '/api/queue')).body
      return groups.filter((each: TestBody) => each.transportId === transportId)
    }
    const submitted = (isBulk = false) => submitQueued(shared.service, { transport: name, isBulk })
    await change('hold')
    const [{ lane, state, queued, oldest }] = await groupsOf()
    assert.deepEqual([lane, state, queued, oldest], [null, 'held', 0, null])
    const all = [await submitted(), await submitted(true)]
    for (const to of all) assert.equal((await settled(to))?.state, 'held')
    const groups = await groupsOf()
    assert.deepEqual(groups.map((each) => [each.lane, each.state, each.held]).toSorted(), [
      ['bulk', 'held', 1],
      ['transactional', 'held', 1],
    ])
    for (const { problem } of groups) assert.match(problem, /held by .*Release them/)
    assert.deepEqual(all.map(timesTaken), [0, 0])
    await change('release')
    for (const to of [...all, await submitted()]) {
      assert.equal(await settled(to), undefined)
      assert.equal(timesTaken(to), 1)
    }
    const other = await shared.openAnother({ isStarted: false })
    await other.ask('POST', '/api/queue/hold', { transportId })
    await shared.service.app.idle()
    assert.equal((await settled(await submitted()))?.state, 'held', 'all processes know it')
  })

  test('to many recipients is stored once, and each gets it', async () => {
    const to = Array.from({ length: 20 }, (_, index) => `${index}@many.test`)
    assert.match(await submit(to), /^250 /)
    for (const address of to) {
      assert.equal(await settled(address), undefined)
      assert.deepEqual(await outcomes(address), ['accepted'])
    }
  })
})

const hybrid = { config: { smtpMode: 'hybrid', deliveriesKeepDays: 90 } } as const
onEachDatabase('a message in the mode hybrid', hybrid, (shared) => {
  const { clock } = shared
  const queue = useQueue(shared)
  const { server, submit, outcomes, settled, refuseForNow } = queue

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
    refuseForNow()
    assert.match(await submit('later@hybrid.test'), /^250 2\.0\.0 Stored as message \d+/)
    assert.equal((await settled('later@hybrid.test'))?.attempts, 1)
    server.act = () => undefined
    clock.advance(minuteMs)
    assert.equal(await settled('later@hybrid.test'), undefined)
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
    assert.equal((await settled('broken@hybrid.test'))?.state, 'uncertain')
    clock.advance(100 * 24 * hourMs)
    assert.equal(await settled('broken@hybrid.test'), undefined, 'its delivery is deleted')
  })

  test('is stored if the server is slow, and the attempt in progress delivers it', async () => {
    const gate = Promise.withResolvers<void>()
    server.gate = gate.promise
    const config = { smtpMode: 'hybrid' as const, smtpWaitSeconds: 0 }
    const other = await shared.openAnother({ config })
    const { port } = await other.openSmtpServer()
    const reply = await submit('slow@hybrid.test', '', port)
    assert.match(reply, /^250 2\.0\.0 Stored as message \d+/)
    assert.equal((await settled('slow@hybrid.test'))?.state, 'claimed')
    gate.resolve()
    await other.app.idle()
    assert.equal(await settled('slow@hybrid.test'), undefined)
    assert.deepEqual(await outcomes('slow@hybrid.test'), ['accepted'])
    assert.equal(queue.timesTaken('slow@hybrid.test'), 1)
  })
})
