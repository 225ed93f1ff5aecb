import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { submitMessage } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import type { TestBody } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'

const minuteMs = 60_000

onEachDatabase(
  'the queue with recipients of broadcasts',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)
    const server = useScriptedServer()
    const later = { code: 451, text: '4.3.0 later' }
    beforeEach(() => {
      server.act = () => undefined
    })
    const post = async (path: string, body?: unknown) => {
      const answer = await shared.service.ask('POST', path, body)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const list = async (query: string): Promise<TestBody[]> =>
      (await shared.service.ask('GET', `/api/queue/messages?${query}`)).body.messages
    const statesOf = async (id: number): Promise<string[]> =>
      (await list(`broadcastId=${id}`)).map(({ state }) => state)
    const untilAll = (id: number, state: string, count: number) =>
      until(async () => {
        const states = await statesOf(id)
        return states.length === count && states.every((each) => each === state)
      }, `all are ${state}`)
    const recipientStates = async (id: number): Promise<string[]> => {
      const { body } = await shared.service.ask('GET', `/api/broadcasts/${id}/recipients`)
      return body.recipients.map((each: { state: string }) => each.state)
    }
    const overview = async () => {
      // The numbers are kept for some seconds.
      shared.clock.advance(minuteMs)
      return (await shared.service.ask('GET', '/api/queue')).body
    }
    /** A broadcast to some contacts, which its server refuses for now. */
    const defer = async (count: number) => {
      server.act = () => later
      const transportId = await fixture.transport(server.dsn)
      const emailId = await fixture.email(transportId)
      const { segment, contacts } = await fixture.segment(count)
      const id = await fixture.send(emailId, { segment })
      await untilAll(id, 'deferred', count)
      return { id, transportId, emailId, contacts }
    }

    test('names their addresses before the first attempt', async () => {
      const { segment, contacts } = await fixture.segment(2)
      const id = await fixture.send(await fixture.email(null), { segment })
      const { body } = await shared.service.ask('GET', `/api/broadcasts/${id}/recipients`)
      assert.deepEqual(
        body.recipients.map(({ address, delivery }: TestBody) => ({ address, delivery })),
        contacts.map(({ email }) => ({ address: email, delivery: null })),
      )
      await fixture.act(id, 'cancel')
    })

    test('counts them, lists them with their broadcast, and finds those of one', async () => {
      const { id, transportId, emailId, contacts } = await defer(2)
      const other = await defer(1)
      // The minute may have made them due, and one that is sent while states are counted may be counted in two of them.
      await until(async () => {
        const { groups } = await overview()
        const group = groups.find((each: TestBody) => each.transportId === transportId)
        return group.lane === 'bulk' && group.queued + group.deferred + group.sending === 2
      }, 'the two are counted')
      const messages = await list(`broadcastId=${id}`)
      assert.deepEqual(
        messages.map(({ recipient }) => recipient).sort(),
        contacts.map(({ email }) => email).sort(),
      )
      for (const message of messages) {
        assert.deepEqual([message.broadcastId, message.emailId], [id, emailId])
        assert.match(message.problem, /^451 4\.3\.0 later/)
        const lifetimeMs = Date.parse(message.expires) - Date.parse(message.dateAdded)
        assert.ok(lifetimeMs > minuteMs && lifetimeMs < 30 * 24 * 60 * minuteMs, message.expires)
      }
      await fixture.act(other.id, 'cancel')
      await fixture.act(id, 'cancel')
      // One that is being sent ends with its attempt.
      await until(async () => (await statesOf(id)).length === 0, 'none waits')
    })

    test('shows those of a paused broadcast as paused, until it is resumed', async () => {
      const { id, contacts } = await defer(2)
      await fixture.act(id, 'pause')
      assert.deepEqual(await statesOf(id), ['paused', 'paused'])
      assert.deepEqual(await recipientStates(id), ['paused', 'paused'])
      assert.equal((await list(`state=paused&broadcastId=${id}`)).length, 2)
      assert.equal((await overview()).total.paused, 2)
      server.act = () => undefined
      shared.clock.advance(60 * minuteMs)
      await fixture.act(id, 'resume')
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.equal(done.accepted, contacts.length)
    })

    test('holds, releases, retries and cancels single ones, and their broadcast counts them', async () => {
      const { id } = await defer(3)
      const [one, two, three] = (await list(`broadcastId=${id}`)).map((each) => each['id'])
      const act = async (of: number, action: string) =>
        (await post(`/api/queue/messages/${of}/${action}`)).message.state
      assert.equal(await act(one, 'hold'), 'held')
      assert.deepEqual((await recipientStates(id)).sort(), ['deferred', 'deferred', 'held'])
      assert.equal((await fixture.get(id)).remaining, 3)
      await act(two, 'cancel')
      const cancelled = await fixture.get(id)
      assert.deepEqual([cancelled.refused, cancelled.remaining], [1, 2])
      assert.ok((await recipientStates(id)).includes('cancelled'))
      server.act = () => undefined
      await act(three, 'retry')
      const retried = await fixture.until(id, ({ accepted }) => accepted === 1)
      assert.deepEqual([retried.state, retried.remaining], ['running', 1], 'one is held')
      await act(one, 'release')
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.refused, done.total], [2, 1, 3])
    })

    test('holds and cancels all of one broadcast, which ends when the last is cancelled', async () => {
      const { id } = await defer(3)
      assert.equal((await post('/api/queue/hold', { broadcastId: id })).changed, 3)
      assert.deepEqual(await statesOf(id), ['held', 'held', 'held'])
      assert.equal((await post('/api/queue/cancel', { broadcastId: id })).changed, 3)
      const done = await fixture.get(id)
      assert.deepEqual([done.state, done.refused, done.remaining], ['done', 3, 0])
    })

    test('leaves those that are held alone when their broadcast is resumed', async () => {
      const { id } = await defer(2)
      await post('/api/queue/hold', { broadcastId: id })
      await fixture.act(id, 'pause')
      await fixture.act(id, 'resume')
      assert.deepEqual(await statesOf(id), ['held', 'held'])
      await fixture.act(id, 'pause')
      await post('/api/queue/release', { broadcastId: id })
      assert.deepEqual(await statesOf(id), ['paused', 'paused'], 'their broadcast is paused')
      await fixture.act(id, 'cancel')
      assert.deepEqual(await statesOf(id), [])
    })

    test('holds what arrives later for a transport that is held, until it is released', async () => {
      const { id: transportId, name } = await addTransport(shared.service, {
        mailerDsn: server.dsn,
      })
      const emailId = await fixture.email(transportId)
      const { segment, contacts } = await fixture.segment(3)
      await post('/api/queue/hold', { transportId })
      const groupOf = async () => {
        const { groups } = await overview()
        return groups.find((each: TestBody) => each.transportId === transportId)
      }
      const empty = await groupOf()
      const { lane, state, queued, oldest } = empty
      assert.deepEqual([lane, state, queued, oldest], [null, 'held', 0, null])
      const id = await fixture.send(emailId, { segment })
      const to = `${uniqueName('held')}@example.com`
      const text = `X-Mailyard-Transport: ${name}\nMessage-ID: <${to}>\n\nHello`
      const mode = 'queue' as const
      assert.deepEqual(await submitMessage(shared.service, undefined, { to, text, mode }), [
        '250 2.0.0',
      ])
      await untilAll(id, 'held', 3)
      await until(
        async () => (await list(`recipient=${to}`))[0]?.['state'] === 'held',
        'the message is held',
      )
      const group = await groupOf()
      assert.equal(group.state, 'held')
      assert.ok(group.held > 0)
      assert.match(group.problem, /held by .*Release them/)
      assert.deepEqual(
        server.taken.filter((each) => each.startsWith(segment) || each === to),
        [],
      )
      const waiting = await fixture.get(id)
      assert.equal(waiting.remaining, 3)
      assert.match(waiting.problem, /held by .*Release them/)
      await post('/api/queue/release', { transportId })
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.equal(done.accepted, contacts.length)
      await until(() => server.taken.includes(to), 'the message is sent')
      const more = await fixture.send(emailId, {
        contactIds: (await fixture.segment(1)).contacts.map((each) => each.id),
      })
      await fixture.until(more, ({ state }) => state === 'done')
    })

    test('keeps the hold of a transport in all processes', async () => {
      const transportId = await fixture.transport(server.dsn)
      const other = await shared.openAnother({ isStarted: false })
      const { status } = await other.ask('POST', '/api/queue/hold', { transportId })
      assert.equal(status, 200)
      const isHeld = async () => {
        const id = await fixture.send(await fixture.email(transportId), {
          contactIds: (await fixture.segment(1)).contacts.map((each) => each.id),
        })
        await until(async () => (await statesOf(id))[0] !== 'queued', 'it was looked at')
        await until(async () => (await statesOf(id))[0] !== 'sending', 'it was settled')
        return (await statesOf(id))[0] === 'held'
      }
      await until(isHeld, 'the process that sends knows the hold')
      await post('/api/queue/release', { transportId })
    })

    test('tries the message of a broadcast until its lifetime is over, later each time', async () => {
      const { id } = await defer(1)
      const read = async () => (await list(`broadcastId=${id}`))[0]
      const waits: number[] = []
      for (const attempts of [1, 2, 3]) {
        await until(async () => (await read())?.['attempts'] === attempts, `${attempts} attempts`)
        const due = Date.parse((await read())?.['nextAttempt'])
        waits.push(due - shared.clock.now())
        shared.clock.advance(due - shared.clock.now() + 2_000)
      }
      const [first = 0, second = 0, third = 0] = waits
      assert.ok(first < second && second < third, waits.join())
      const { expires } = (await read()) ?? {}
      shared.clock.advance(Date.parse(expires) - shared.clock.now() + minuteMs)
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.refused, done.remaining], [1, 0])
      const [delivery] = await fixture.deliveries(`broadcastId=${id}`)
      assert.equal(delivery?.['outcome'], 'expired')
    })
  },
  { intervals: quickIntervals },
)
