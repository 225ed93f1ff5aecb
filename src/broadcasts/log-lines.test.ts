import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { adminPassword } from '../../test/administrator.ts'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { createMovableClock } from '../../test/movable-clock.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { openDialogue } from '../../test/smtp-dialogue.ts'
import { openTestApp, type TestApp, type TestBody } from '../../test/test-app.ts'

const secret = 'S3cretOfTheRelay'
const waitMaxMs = 180_000

describe('the log at info', () => {
  const server = useScriptedServer()
  const clock = createMovableClock()
  let service: TestApp
  before(async () => {
    service = await openTestApp({ clock, intervals: quickIntervals })
  })
  after(() => service.close())
  const fixture = createBroadcastFixture(() => service)

  /** Waits for a line with this message and these values. */
  const lineOf = async (msg: string, values: Record<string, unknown>): Promise<TestBody> => {
    const deadline = performance.now() + waitMaxMs
    for (;;) {
      const lines = service.logged.map((line) => JSON.parse(line))
      const found = lines.find((line) =>
        Object.entries({ msg, level: 'info', ...values }).every(
          ([name, one]) => line[name] === one,
        ),
      )
      if (found !== undefined) return found
      const wanted = `${msg} ${JSON.stringify(values)}`
      assert.ok(performance.now() < deadline, `${wanted} is not in ${service.logged.join('')}`)
      await setTimeout(20)
    }
  }
  const isDuration = (value: unknown) =>
    assert.ok(Number.isInteger(value) && Number(value) >= 0, `a duration of ${String(value)}`)
  const addTransport = () => fixture.transport(`${server.dsn}?unknown_option=${secret}`)
  const isDone = ({ state }: TestBody) => state === 'done'

  test('has lines for a broadcast that starts, is paused and finishes', async () => {
    const emailId = await fixture.email(await addTransport())
    const { segment } = await fixture.segment(3)
    server.act = () => ({ code: 450, text: '4.2.1 not yet' })
    const broadcastId = await fixture.send(emailId, { segment })
    const started = await lineOf('broadcast started', { broadcastId })
    assert.deepEqual([started.emailId, started.segment, started.recipients], [emailId, segment, 3])
    await fixture.act(broadcastId, 'pause')
    await lineOf('broadcast paused', { broadcastId })
    server.act = () => undefined
    clock.advance(3_600_000)
    await fixture.act(broadcastId, 'resume')
    await fixture.until(broadcastId, isDone)
    const finished = await lineOf('broadcast finished', { broadcastId })
    assert.deepEqual([finished.accepted, finished.refused, finished.uncertain], [3, 0, 0])
    isDuration(finished.durationMs)
  })

  test('has lines for a transport that becomes unavailable and available again', async () => {
    const transportId = await addTransport()
    const emailId = await fixture.email(transportId)
    const { segment } = await fixture.segment(3)
    server.act = (recipient) => ({ code: 421, text: `4.3.2 closing; no mail for <${recipient}>` })
    const broadcastId = await fixture.send(emailId, { segment })
    const line = await lineOf('transport unavailable', { transportId })
    assert.match(line.reason, /421|closing/)
    assert.equal(typeof line.transport, 'string')
    isDuration(line.retryInMs)
    server.act = () => undefined
    clock.advance(3_600_000)
    await fixture.until(broadcastId, isDone)
    await lineOf('transport available', { transportId })
  })

  test('has lines for messages that are relayed and refused', async () => {
    const transportId = await addTransport()
    const { port } = await service.openSmtpServer()
    const client = await openDialogue(port ?? 0)
    await client.say('EHLO client.test')
    await client.logIn('admin', adminPassword)
    const handIn = (name: string, to: string) => {
      const head = `X-Mailyard-Transport: ${name}\r\nMessage-ID: <${to}>\r\nFrom: a@example.com\r\n`
      return client.hand({ to: [to], raw: `${head}\r\nHello\r\n` })
    }
    assert.match(await handIn(String(transportId), 'relayed@example.com'), /^250 /)
    const relayed = await lineOf('message relayed', { transportId })
    assert.equal(relayed.recipients, 1)
    isDuration(relayed.durationMs)
    server.act = (recipient) => ({ code: 550, text: `5.1.1 <${recipient}> is unknown here` })
    assert.match(await handIn(String(transportId), 'refused@example.com'), /^550 /)
    const refused = await lineOf('message refused', { transportId })
    assert.deepEqual([refused.recipients, refused.reply, refused.status], [1, 550, '5.1.1'])
    isDuration(refused.durationMs)
    server.act = () => undefined
    assert.match(await handIn('nowhere', 'unrouted@example.com'), /^451 /)
    await lineOf('message refused', { recipients: 1, transportId: undefined })
    client.destroy()
  })

  test('has no line for each recipient of a broadcast that waits', async () => {
    const transportId = await addTransport()
    const emailId = await fixture.email(transportId)
    const { segment } = await fixture.segment(3)
    await service.ask('POST', '/api/queue/hold', { transportId })
    const id = await fixture.send(emailId, { segment })
    await fixture.until(id, ({ problem }) => /held by/.test(problem ?? ''))
    assert.ok(!service.logged.some((line) => line.includes('held by')))
    await service.ask('POST', '/api/queue/release', { transportId })
    await fixture.until(id, isDone)
  })

  test('contains no recipient address and no secret', () => {
    const events = /"msg":"(broadcast|transport|message) \w+"/
    const log = service.logged.filter((line) => events.test(line)).join('')
    assert.match(log, /transport unavailable/)
    assert.match(log, /\[address\]/)
    assert.doesNotMatch(log, /@example\.com/)
    assert.ok(!log.includes(secret))
    assert.ok(!log.includes(adminPassword))
  })
})
